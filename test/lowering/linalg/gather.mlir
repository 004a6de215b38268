// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// CHECK: #[[INDICES:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[OPERAND:.+]]: tensor<8x4xf32>, %[[STARTS:.+]]: tensor<5x1xi32>)
// CHECK: linalg.generic {indexing_maps = [#[[INDICES]],
// CHECK-SAME: ins(%[[STARTS]]
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.index_cast
// CHECK: linalg.index 1
// CHECK: tensor.extract %[[OPERAND]]
func.func @main(%operand: tensor<8x4xf32>, %starts: tensor<5x1xi32>) -> tensor<5x4xf32> {
  %0 = "stablehlo.gather"(%operand, %starts) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 4>, indices_are_sorted = false
  } : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}
