// dynamic_reshape: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @run_time() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<2x6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x6xf32>
  %c1 = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %r = "stablehlo.dynamic_reshape"(%0, %1) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  return
}

func.func @any_shape() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<2x6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x6xf32>
  %c1 = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %d = "stablehlo.dynamic_reshape"(%0, %sizes) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r = stablehlo.reshape %d : (tensor<?x?xf32>) -> tensor<3x4xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  return
}

func.func @booleans_run_time() {
  %c0 = stablehlo.constant dense<[[false, false, false, false, false, true], [true, true, true, true, true, true]]> : tensor<2x6xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x6xi1>
  %c1 = stablehlo.constant dense<[12]> : tensor<1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1xi32>
  %r = "stablehlo.dynamic_reshape"(%0, %1) : (tensor<2x6xi1>, tensor<1xi32>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, true, true, true, true, true, true, true]> : tensor<12xi1>
  return
}

func.func @booleans_any_shape() {
  %c0 = stablehlo.constant dense<[[false, false, false, false, false, true], [true, true, true, true, true, true]]> : tensor<2x6xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x6xi1>
  %c1 = stablehlo.constant dense<[12]> : tensor<1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1xi32>
  %sizes = stablehlo.constant dense<[12]> : tensor<1xi32>
  %d = "stablehlo.dynamic_reshape"(%0, %sizes) : (tensor<2x6xi1>, tensor<1xi32>) -> tensor<?xi1>
  %r = stablehlo.reshape %d : (tensor<?xi1>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, true, true, true, true, true, true, true]> : tensor<12xi1>
  return
}

func.func @empty_run_time() {
  %c0 = stablehlo.constant dense<> : tensor<0x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x3xf32>
  %c1 = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %r = "stablehlo.dynamic_reshape"(%0, %1) : (tensor<0x3xf32>, tensor<2xi64>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}

func.func @empty_any_shape() {
  %c0 = stablehlo.constant dense<> : tensor<0x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x3xf32>
  %c1 = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %sizes = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
  %d = "stablehlo.dynamic_reshape"(%0, %sizes) : (tensor<0x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %r = stablehlo.reshape %d : (tensor<?x?xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<2x0xf32>
  return
}
