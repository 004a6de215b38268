// RUN: hlo-opt %s --simplify-algebra --split-input-file | FileCheck %s

// x.at[1:3, 2].set(u)
// CHECK-LABEL: @set
// CHECK: %[[U:.*]] = stablehlo.reshape %arg1 : (tensor<2xf32>) -> tensor<2x1xf32>
// CHECK: stablehlo.dynamic_update_slice %arg0, %[[U]]
// CHECK-NOT: scatter
func.func @set(%x: tensor<4x3xf32>, %u: tensor<2xf32>) -> tensor<4x3xf32> {
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: @subtract
// CHECK: %[[OLD:.*]] = stablehlo.slice %arg0 [1:3, 0:3]
// CHECK: %[[NEW:.*]] = stablehlo.subtract %[[OLD]], %arg1
// CHECK: stablehlo.dynamic_update_slice %arg0, %[[NEW]]
func.func @subtract(%x: tensor<4x3xf32>, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %i = stablehlo.constant dense<1> : tensor<1xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<1xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// A window that reaches outside is skipped by scatter, moved by dynamic_update_slice: not the same.
// CHECK-LABEL: @outside
// CHECK: stablehlo.scatter
func.func @outside(%x: tensor<4x3xf32>, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %i = stablehlo.constant dense<3> : tensor<1xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<1xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
