// RUN: hlo-opt %s --schedule-kernels='target=avx2' --emit-kernels='target=avx2' --split-input-file | FileCheck %s

#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>

// Six vectors are two steps of three: four would leave two vectors, whose code would be the same once more.
// CHECK-LABEL: func.func private @columns.code(
// CHECK:         scf.for %{{.*}} = %c0 to %c48 step %c24
// CHECK-COUNT-3: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:       func.func private @columns(
func.func private @columns(%a: tensor<500x48xf32>) -> tensor<48xf32> attributes {hlo.kernel = "region"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<48xf32>) -> tensor<48xf32>
  %0 = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<500x48xf32>) outs(%f : tensor<48xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<48xf32>
  return %0 : tensor<48xf32>
}

// -----

#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>

// Of 76 columns the second step of five vectors begins earlier.
// CHECK-LABEL: func.func private @columns.code(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c76 step %c40
// CHECK:           arith.minsi %[[I]], %c36
// CHECK-COUNT-5: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:       func.func private @columns(
func.func private @columns(%a: tensor<500x76xf32>) -> tensor<76xf32> attributes {hlo.kernel = "region"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<76xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<76xf32>) -> tensor<76xf32>
  %0 = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<500x76xf32>) outs(%f : tensor<76xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %x : f32
    linalg.yield %t : f32
  } -> tensor<76xf32>
  return %0 : tensor<76xf32>
}

// -----

#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// No element may be computed twice where the result may be where an operand is: what four vectors leave is code of its own.
// CHECK-LABEL: func.func private @added.code(
// CHECK-NOT:     arith.minsi
// CHECK:         scf.for %{{.*}} = %c40 to %c46 step %c1
// CHECK:       func.func private @added(
// CHECK-SAME:    unroll = 4
func.func @main(%a: tensor<9x46xf32>, %b: tensor<9xf32>) -> tensor<9x46xf32> {
  %0 = call @added(%a, %b) : (tensor<9x46xf32>, tensor<9xf32>) -> tensor<9x46xf32>
  %1 = call @added(%0, %b) : (tensor<9x46xf32>, tensor<9xf32>) -> tensor<9x46xf32>
  return %1 : tensor<9x46xf32>
}
func.func private @added(%a: tensor<9x46xf32> {hlo.may_alias = array<i64: 0>}, %b: tensor<9xf32>) -> tensor<9x46xf32>
    attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<9x46xf32>
  %0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<9x46xf32>, tensor<9xf32>) outs(%e : tensor<9x46xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<9x46xf32>
  return %0 : tensor<9x46xf32>
}
