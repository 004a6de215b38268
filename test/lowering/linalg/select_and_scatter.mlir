// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// First the number of the element that each window selects, then for each element the sum over the windows around it.
// CHECK-DAG: #[[ELEMENT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)>
// CHECK-DAG: #[[AROUND:.+]] = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
// CHECK-LABEL: func.func @main
// CHECK: %[[SELECTED:.+]]:2 = linalg.generic {indexing_maps = [#[[ELEMENT]], #[[ELEMENT]]
// CHECK-SAME: "parallel", "parallel", "reduction"
// CHECK: arith.cmpf oge
// CHECK: tensor.insert_slice %[[SELECTED]]#1 into {{.*}}[0, 2] [2, 20] [1, 2]
// CHECK: tensor.insert_slice %arg1 into {{.*}}[0, 2] [2, 20] [1, 2]
// CHECK: linalg.generic {indexing_maps = [#[[AROUND]], #[[AROUND]]
// CHECK: arith.addf
func.func @main(%x: tensor<2x40xf32>, %s: tensor<2x20xf32>, %i: tensor<f32>) -> tensor<2x40xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>,
      padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %p : tensor<f32>
  }) : (tensor<2x40xf32>, tensor<2x20xf32>, tensor<f32>) -> tensor<2x40xf32>
  return %r : tensor<2x40xf32>
}

// Windows apart, features last: a loop over windows, which writes where it reads.
// CHECK-LABEL: func.func @apart
// CHECK: call @select_and_scatter_0
func.func @apart(%x: tensor<8x40xf32>, %s: tensor<4x40xf32>, %i: tensor<f32>) -> tensor<8x40xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %p = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %p : tensor<f32>
  }) : (tensor<8x40xf32>, tensor<4x40xf32>, tensor<f32>) -> tensor<8x40xf32>
  return %r : tensor<8x40xf32>
}
