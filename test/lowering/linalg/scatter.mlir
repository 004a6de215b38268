// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: call @scatter_0

// A kernel that updates its first argument in place; a window out of bounds is skipped.
// CHECK: func.func private @scatter_0(%[[INPUT:.+]]: tensor<8xf32> {hlo.tied = 0 : i64}, %[[INDICES:.+]]: tensor<5x1xi32>, %[[UPDATES:.+]]: tensor<5xf32>)
// CHECK-SAME: hlo.kernel = "loops"
// CHECK: scf.for
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]]
// CHECK: tensor.extract
// CHECK: arith.addf
// CHECK: tensor.insert
func.func @main(%input: tensor<8xf32>, %indices: tensor<5x1xi32>, %updates: tensor<5xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%input, %indices, %updates) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
    indices_are_sorted = false, unique_indices = false
  } : (tensor<8xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
