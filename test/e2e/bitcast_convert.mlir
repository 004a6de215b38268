// bitcast_convert: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @same_width() {
  %c0 = stablehlo.constant dense<[1.5e+00, -0.0e+00, 0x7F800000]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3xui32>
  check.expect_eq_const %r, dense<[1069547520, 2147483648, 2139095040]> : tensor<3xui32>
  return
}

func.func @to_narrower() {
  %c0 = stablehlo.constant dense<[1.5e+00, -0.0e+00, 0x7F800000]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3x2xi16>
  check.expect_eq_const %r, dense<[[0, 16320], [0, -32768], [0, 32640]]> : tensor<3x2xi16>
  return
}

func.func @to_wider() {
  %c0 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4xui8>
  %r = stablehlo.bitcast_convert %0 : (tensor<2x4xui8>) -> tensor<2xi32>
  check.expect_eq_const %r, dense<[50462976, 117835012]> : tensor<2xi32>
  return
}
