// RUN: hlo-opt %s --compile-to=linalg | hlo-opt --compute-gathered | FileCheck %s

// What is computed for the quotients alone goes with them: the fill of the divisors, and the empty array that the fill and the quotients are written to.
// CHECK-LABEL: func.func @main
// CHECK: tensor.extract %arg0
// CHECK: arith.divf
// CHECK-NOT: tensor.empty() : tensor<100x8xcomplex<f64>>
// CHECK: return
func.func @main(%x: tensor<100x8xcomplex<f64>>, %i: tensor<4x1xi32>) -> tensor<4x8xcomplex<f64>> {
  %two = stablehlo.constant dense<(2.0, 0.0)> : tensor<100x8xcomplex<f64>>
  %0 = stablehlo.divide %x, %two : tensor<100x8xcomplex<f64>>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xcomplex<f64>>, tensor<4x1xi32>) -> tensor<4x8xcomplex<f64>>
  return %1 : tensor<4x8xcomplex<f64>>
}
