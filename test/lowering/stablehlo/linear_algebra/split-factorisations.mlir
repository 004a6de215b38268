// Halves: the first one, the side by a triangular system, the second one less the side's product. Small ones stay whole.
// RUN: hlo-opt %s --split-input-file --split-factorisations='order=8 leaf=4' | FileCheck %s

// CHECK-LABEL: func.func @lower
// CHECK: %[[A11:.*]] = stablehlo.slice %arg0 [0:4, 0:4]
// CHECK: %[[L11:.*]] = stablehlo.cholesky %[[A11]], lower = true : tensor<4x4xf32>
// CHECK: %[[A22:.*]] = stablehlo.slice %arg0 [4:8, 4:8]
// CHECK: %[[A21:.*]] = stablehlo.slice %arg0 [4:8, 0:4]
// CHECK: %[[L21:.*]] = "stablehlo.triangular_solve"(%[[L11]], %[[A21]]) {left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}
// CHECK: %[[P:.*]] = stablehlo.dot_general %[[L21]], %[[L21]], contracting_dims = [1] x [1]
// CHECK: %[[REST:.*]] = stablehlo.subtract %[[A22]], %[[P]]
// CHECK: stablehlo.cholesky %[[REST]], lower = true : tensor<4x4xf32>
// CHECK-COUNT-3: stablehlo.concatenate
func.func @lower(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = stablehlo.cholesky %a, lower = true : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @small
// CHECK-NEXT: stablehlo.cholesky %arg0, lower = true : tensor<7x7xf32>
func.func @small(%a: tensor<7x7xf32>) -> tensor<7x7xf32> {
  %r = stablehlo.cholesky %a, lower = true : tensor<7x7xf32>
  return %r : tensor<7x7xf32>
}
