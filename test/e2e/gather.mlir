// gather: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @rows_clamped() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<4x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x3xf32>
  %c1 = stablehlo.constant dense<[[2], [0], [9], [-3]]> : tensor<4x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x1xi32>
  %r = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  check.expect_eq_const %r, dense<[[6.0e+00, 7.0e+00, 8.0e+00], [0.0e+00, 1.0e+00, 2.0e+00], [9.0e+00, 1.0e+01, 1.1e+01], [0.0e+00, 1.0e+00, 2.0e+00]]> : tensor<4x3xf32>
  return
}
