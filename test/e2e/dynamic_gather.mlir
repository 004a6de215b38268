// dynamic_gather: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @run_time() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<4x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x3xf32>
  %c1 = stablehlo.constant dense<[[2], [0], [9]]> : tensor<3x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x1xi32>
  %c2 = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%0, %1, %2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x3xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x3xf32>
  check.expect_eq_const %r, dense<[[6.0e+00, 7.0e+00, 8.0e+00], [0.0e+00, 1.0e+00, 2.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x3xf32>
  return
}

func.func @any_shape() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<4x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x3xf32>
  %c1 = stablehlo.constant dense<[[2], [0], [9]]> : tensor<3x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x1xi32>
  %c2 = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi32>
  %sizes = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %d = "stablehlo.dynamic_gather"(%0, %1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x3xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r = stablehlo.reshape %d : (tensor<?x?xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %r, dense<[[6.0e+00, 7.0e+00, 8.0e+00], [0.0e+00, 1.0e+00, 2.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x3xf32>
  return
}

func.func @windows_run_time() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<4x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x3xf32>
  %c1 = stablehlo.constant dense<[[2], [0], [9]]> : tensor<3x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x1xi32>
  %c2 = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%0, %1, %2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x3xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x2x2xf32>
  check.expect_eq_const %r, dense<[[[6.0e+00, 7.0e+00], [9.0e+00, 1.0e+01]], [[0.0e+00, 1.0e+00], [3.0e+00, 4.0e+00]], [[6.0e+00, 7.0e+00], [9.0e+00, 1.0e+01]]]> : tensor<3x2x2xf32>
  return
}

func.func @windows_any_shape() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<4x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x3xf32>
  %c1 = stablehlo.constant dense<[[2], [0], [9]]> : tensor<3x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x1xi32>
  %c2 = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi32>
  %sizes = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %d = "stablehlo.dynamic_gather"(%0, %1, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x3xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<?x?x?xf32>
  %r = stablehlo.reshape %d : (tensor<?x?x?xf32>) -> tensor<3x2x2xf32>
  check.expect_eq_const %r, dense<[[[6.0e+00, 7.0e+00], [9.0e+00, 1.0e+01]], [[0.0e+00, 1.0e+00], [3.0e+00, 4.0e+00]], [[6.0e+00, 7.0e+00], [9.0e+00, 1.0e+01]]]> : tensor<3x2x2xf32>
  return
}
