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

func.func @to_eighths() {
  %c0 = stablehlo.constant dense<[1.5e+00, -0.0e+00, 0x7FF0000000000000]> : tensor<3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf64>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xf64>) -> tensor<3x8xui8>
  check.expect_eq_const %r, dense<[[0, 0, 0, 0, 0, 0, 248, 63], [0, 0, 0, 0, 0, 0, 0, 128], [0, 0, 0, 0, 0, 0, 240, 127]]> : tensor<3x8xui8>
  return
}

func.func @complex_to_narrower() {
  %c0 = stablehlo.constant dense<[(1.5e+00, -2.25e+00), (-0.0e+00, 0x7FF0000000000000), (1.0e+300, 3.0e+00)]> : tensor<3xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xcomplex<f64>>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xcomplex<f64>>) -> tensor<3x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 1.9375e+00), (0.0e+00, -2.03125e+00)], [(0.0e+00, -0.0e+00), (0.0e+00, 0x7FF00000)], [(-3.865684804366096e-34, 6.110844596424044e+37), (0.0e+00, 2.125e+00)]]> : tensor<3x2xcomplex<f32>>
  return
}

func.func @complex_to_wider() {
  %c0 = stablehlo.constant dense<[[(1.0e+00, 2.0e+00), (-3.5e+00, 2.5e-01)], [(-0.0e+00, 0x7F800000), (1.0000000150474662e+30, -1.0000000031710769e-30)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xcomplex<f32>>
  %r = stablehlo.bitcast_convert %0 : (tensor<2x2xcomplex<f32>>) -> tensor<2xcomplex<f64>>
  check.expect_eq_const %r, dense<[(2.000000473111868e+00, 1.19209374982443e-07), (1.4044484313040638e+306, -5.348318395161083e-243)]> : tensor<2xcomplex<f64>>
  return
}

func.func @uint8_to_booleans() {
  %c0 = stablehlo.constant dense<[1, 2, 0]> : tensor<3xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui8>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xui8>) -> tensor<3x8xi1>
  check.expect_eq_const %r, dense<[[true, false, false, false, false, false, false, false], [false, true, false, false, false, false, false, false], [false, false, false, false, false, false, false, false]]> : tensor<3x8xi1>
  return
}

func.func @booleans_to_uint8() {
  %c0 = stablehlo.constant dense<[[true, false, false, false, false, false, false, false], [false, true, false, false, false, false, false, false], [false, false, false, false, false, false, false, false]]> : tensor<3x8xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x8xi1>
  %r = stablehlo.bitcast_convert %0 : (tensor<3x8xi1>) -> tensor<3xui8>
  check.expect_eq_const %r, dense<[1, 2, 0]> : tensor<3xui8>
  return
}

func.func @float8_e4m3fn_to_booleans() {
  %c0 = stablehlo.constant dense<[1.953125e-03, 3.906250e-03, 0.000000e+00]> : tensor<3xf8E4M3FN>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf8E4M3FN>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xf8E4M3FN>) -> tensor<3x8xi1>
  check.expect_eq_const %r, dense<[[true, false, false, false, false, false, false, false], [false, true, false, false, false, false, false, false], [false, false, false, false, false, false, false, false]]> : tensor<3x8xi1>
  return
}

func.func @booleans_to_float8_e4m3fn() {
  %c0 = stablehlo.constant dense<[[true, false, false, false, false, false, false, false], [false, true, false, false, false, false, false, false], [false, false, false, false, false, false, false, false]]> : tensor<3x8xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x8xi1>
  %r = stablehlo.bitcast_convert %0 : (tensor<3x8xi1>) -> tensor<3xf8E4M3FN>
  check.expect_eq_const %r, dense<[1.953125e-03, 3.906250e-03, 0.000000e+00]> : tensor<3xf8E4M3FN>
  return
}

func.func @uint4_to_booleans() {
  %c0 = stablehlo.constant dense<[1, 2, 0]> : tensor<3xui4>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui4>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xui4>) -> tensor<3x4xi1>
  check.expect_eq_const %r, dense<[[true, false, false, false], [false, true, false, false], [false, false, false, false]]> : tensor<3x4xi1>
  return
}

func.func @booleans_to_uint4() {
  %c0 = stablehlo.constant dense<[[true, false, false, false], [false, true, false, false], [false, false, false, false]]> : tensor<3x4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xi1>
  %r = stablehlo.bitcast_convert %0 : (tensor<3x4xi1>) -> tensor<3xui4>
  check.expect_eq_const %r, dense<[1, 2, 0]> : tensor<3xui4>
  return
}

func.func @int2_to_booleans() {
  %c0 = stablehlo.constant dense<[1, -2, 0]> : tensor<3xi2>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xi2>
  %r = stablehlo.bitcast_convert %0 : (tensor<3xi2>) -> tensor<3x2xi1>
  check.expect_eq_const %r, dense<[[true, false], [false, true], [false, false]]> : tensor<3x2xi1>
  return
}

func.func @booleans_to_int2() {
  %c0 = stablehlo.constant dense<[[true, false], [false, true], [false, false]]> : tensor<3x2xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x2xi1>
  %r = stablehlo.bitcast_convert %0 : (tensor<3x2xi1>) -> tensor<3xi2>
  check.expect_eq_const %r, dense<[1, -2, 0]> : tensor<3xi2>
  return
}
