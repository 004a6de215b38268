// reshape: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @split() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<2x6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x6xf32>
  %r = stablehlo.reshape %0 : (tensor<2x6xf32>) -> tensor<3x2x2xf32>
  check.expect_eq_const %r, dense<[[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]], [[4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00]], [[8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01]]]> : tensor<3x2x2xf32>
  return
}

func.func @to_scalar() {
  %c0 = stablehlo.constant dense<[[0.0e+00]]> : tensor<1x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x1xf32>
  %r = stablehlo.reshape %0 : (tensor<1x1xf32>) -> tensor<f32>
  check.expect_eq_const %r, dense<0.0e+00> : tensor<f32>
  return
}

func.func @from_scalar() {
  %c0 = stablehlo.constant dense<3> : tensor<i8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i8>
  %r = stablehlo.reshape %0 : (tensor<i8>) -> tensor<1x1xi8>
  check.expect_eq_const %r, dense<[[3]]> : tensor<1x1xi8>
  return
}

func.func @booleans() {
  %c0 = stablehlo.constant dense<[[false, false, false, false, false, true], [true, true, true, true, true, true]]> : tensor<2x6xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x6xi1>
  %r = stablehlo.reshape %0 : (tensor<2x6xi1>) -> tensor<12xi1>
  check.expect_eq_const %r, dense<[false, false, false, false, false, true, true, true, true, true, true, true]> : tensor<12xi1>
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<> : tensor<0x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x3xf32>
  %r = stablehlo.reshape %0 : (tensor<0x3xf32>) -> tensor<3x2x0xf32>
  check.expect_eq_const %r, dense<> : tensor<3x2x0xf32>
  return
}
