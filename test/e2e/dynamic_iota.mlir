// dynamic_iota: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i32_run_time() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %r = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi32>
  return
}

func.func @i32_any_shape() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = "stablehlo.dynamic_iota"(%sizes) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xi32>
  %r = stablehlo.reshape %d : (tensor<?x?xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi32>
  return
}

func.func @ui8_run_time() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %r = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<3x2xui8>
  check.expect_eq_const %r, dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xui8>
  return
}

func.func @ui8_any_shape() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = "stablehlo.dynamic_iota"(%sizes) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xui8>
  %r = stablehlo.reshape %d : (tensor<?x?xui8>) -> tensor<3x2xui8>
  check.expect_eq_const %r, dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xui8>
  return
}

func.func @f32_run_time() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %r = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<3x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00], [2.0e+00, 2.0e+00]]> : tensor<3x2xf32>
  return
}

func.func @f32_any_shape() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = "stablehlo.dynamic_iota"(%sizes) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xf32>
  %r = stablehlo.reshape %d : (tensor<?x?xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00], [2.0e+00, 2.0e+00]]> : tensor<3x2xf32>
  return
}

func.func @bf16_run_time() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %r = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<3x2xbf16>
  check.expect_eq_const %r, dense<[[0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00], [2.000000e+00, 2.000000e+00]]> : tensor<3x2xbf16>
  return
}

func.func @bf16_any_shape() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = "stablehlo.dynamic_iota"(%sizes) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xbf16>
  %r = stablehlo.reshape %d : (tensor<?x?xbf16>) -> tensor<3x2xbf16>
  check.expect_eq_const %r, dense<[[0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00], [2.000000e+00, 2.000000e+00]]> : tensor<3x2xbf16>
  return
}

func.func @complex_f32_run_time() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %r = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<3x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)], [(2.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)]]> : tensor<3x2xcomplex<f32>>
  return
}

func.func @complex_f32_any_shape() {
  %c0 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %d = "stablehlo.dynamic_iota"(%sizes) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xcomplex<f32>>
  %r = stablehlo.reshape %d : (tensor<?x?xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)], [(2.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)]]> : tensor<3x2xcomplex<f32>>
  return
}
