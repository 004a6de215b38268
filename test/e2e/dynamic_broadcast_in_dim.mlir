// dynamic_broadcast_in_dim: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @run_time() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %r = "stablehlo.dynamic_broadcast_in_dim"(%0, %1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [0.0e+00, 1.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @any_shape() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %d = "stablehlo.dynamic_broadcast_in_dim"(%0, %sizes) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r = stablehlo.reshape %d : (tensor<?x?xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [0.0e+00, 1.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @degenerate_run_time() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [1.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi32>
  %r = "stablehlo.dynamic_broadcast_in_dim"(%0, %1) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<2x1xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00]]> : tensor<2x4xf32>
  return
}

func.func @degenerate_any_shape() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [1.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi32>
  %sizes = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %d = "stablehlo.dynamic_broadcast_in_dim"(%0, %sizes) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<2x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r = stablehlo.reshape %d : (tensor<?x?xf32>) -> tensor<2x4xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00]]> : tensor<2x4xf32>
  return
}

func.func @scalar_run_time() {
  %c0 = stablehlo.constant dense<7> : tensor<i8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i8>
  %c1 = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %r = "stablehlo.dynamic_broadcast_in_dim"(%0, %1) <{broadcast_dimensions = array<i64>}> : (tensor<i8>, tensor<2xi64>) -> tensor<2x2xi8>
  check.expect_eq_const %r, dense<[[7, 7], [7, 7]]> : tensor<2x2xi8>
  return
}

func.func @scalar_any_shape() {
  %c0 = stablehlo.constant dense<7> : tensor<i8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i8>
  %c1 = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %d = "stablehlo.dynamic_broadcast_in_dim"(%0, %sizes) <{broadcast_dimensions = array<i64>}> : (tensor<i8>, tensor<2xi64>) -> tensor<?x?xi8>
  %r = stablehlo.reshape %d : (tensor<?x?xi8>) -> tensor<2x2xi8>
  check.expect_eq_const %r, dense<[[7, 7], [7, 7]]> : tensor<2x2xi8>
  return
}
