// torch_index_select: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @rows() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xf32>
  %c1 = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "stablehlo.torch_index_select"(%0, %1) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  check.expect_eq_const %r, dense<[[8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  return
}

func.func @columns() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xf32>
  %c1 = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "stablehlo.torch_index_select"(%0, %1) <{dim = 1 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<3x3xf32>
  check.expect_eq_const %r, dense<[[2.0e+00, 0.0e+00, 2.0e+00], [6.0e+00, 4.0e+00, 6.0e+00], [1.0e+01, 8.0e+00, 1.0e+01]]> : tensor<3x3xf32>
  return
}

func.func @matrix_of_indices() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xf32>
  %c1 = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x1xi32>
  %r = "stablehlo.torch_index_select"(%0, %1) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x1x4xf32>
  check.expect_eq_const %r, dense<[[[4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00]], [[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00]]]> : tensor<2x1x4xf32>
  return
}

func.func @batched() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]], [[1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01], [1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01], [2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]]> : tensor<2x3x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x4xf32>
  %c1 = stablehlo.constant dense<[[1, 3, 0], [2, 2, 1]]> : tensor<2x3xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xi64>
  %r = "stablehlo.torch_index_select"(%0, %1) <{dim = 2 : i64, batch_dims = 1 : i64}> : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<2x3x3xf32>
  check.expect_eq_const %r, dense<[[[1.0e+00, 3.0e+00, 0.0e+00], [5.0e+00, 7.0e+00, 4.0e+00], [9.0e+00, 1.1e+01, 8.0e+00]], [[1.4e+01, 1.4e+01, 1.3e+01], [1.8e+01, 1.8e+01, 1.7e+01], [2.2e+01, 2.2e+01, 2.1e+01]]]> : tensor<2x3x3xf32>
  return
}

func.func @scalar_index() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xf32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i32>
  %r = "stablehlo.torch_index_select"(%0, %1) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<i32>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00]> : tensor<4xf32>
  return
}

func.func @bytes() {
  %c0 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xui8>
  %c1 = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "stablehlo.torch_index_select"(%0, %1) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xui8>, tensor<3xi32>) -> tensor<3x4xui8>
  check.expect_eq_const %r, dense<[[8, 9, 10, 11], [0, 1, 2, 3], [8, 9, 10, 11]]> : tensor<3x4xui8>
  return
}

func.func @nothing() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xf32>
  %c1 = stablehlo.constant dense<> : tensor<0xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<0xi32>
  %r = "stablehlo.torch_index_select"(%0, %1) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<3x4xf32>, tensor<0xi32>) -> tensor<0x4xf32>
  check.expect_eq_const %r, dense<> : tensor<0x4xf32>
  return
}
