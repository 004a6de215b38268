// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// A constant component of concatenated index vectors is no input, the other one is read where it was: x[9, i] is clamped to x[7, i].
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[OPERAND:.+]]: tensor<8x4xf32>, %[[COLUMNS:.+]]: tensor<5x1xi8>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[COLUMNS]] : tensor<5x1xi8>)
// CHECK: %[[CLAMPED:.+]] = arith.minsi {{.+}} : i8
// CHECK: %[[COLUMN:.+]] = arith.index_cast %[[CLAMPED]] : i8 to index
// CHECK: %[[ROW:.+]] = arith.constant 7 : index
// CHECK: tensor.extract %[[OPERAND]][%[[ROW]], %[[COLUMN]]]
func.func @main(%operand: tensor<8x4xf32>, %columns: tensor<5x1xi8>) -> tensor<5xf32> {
  %row = stablehlo.constant dense<9> : tensor<5x1xi8>
  %starts = stablehlo.concatenate %row, %columns, dim = 1 : (tensor<5x1xi8>, tensor<5x1xi8>) -> tensor<5x2xi8>
  %0 = "stablehlo.gather"(%operand, %starts) {
    dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>, indices_are_sorted = false
  } : (tensor<8x4xf32>, tensor<5x2xi8>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
