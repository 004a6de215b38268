// scatter: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @add_rows_skipping_outside() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<4x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x3xf32>
  %c1 = stablehlo.constant dense<[[2], [0], [2], [9], [-1]]> : tensor<5x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5x1xi32>
  %c2 = stablehlo.constant dense<[[-1.0e+00, -2.0e+00, -3.0e+00], [-4.0e+00, -5.0e+00, -6.0e+00], [-7.0e+00, -8.0e+00, -9.0e+00], [-1.0e+01, -1.1e+01, -1.2e+01], [-1.3e+01, -1.4e+01, -1.5e+01]]> : tensor<5x3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5x3xf32>
  %r = "stablehlo.scatter"(%0, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  check.expect_eq_const %r, dense<[[-4.0e+00, -4.0e+00, -4.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [-2.0e+00, -3.0e+00, -4.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<4x3xf32>
  return
}
