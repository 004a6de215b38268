// uniform_dequantize: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i8() {
  %c0 = stablehlo.constant dense<[[-128, -7, 0], [1, 100, 127]]> : tensor<2x3xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi8>
  %q = stablehlo.bitcast_convert %0 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-6.55e+01, -5.0e+00, -1.5e+00], [-1.0e+00, 4.85e+01, 6.2e+01]]> : tensor<2x3xf32>
  return
}

func.func @ui8() {
  %c0 = stablehlo.constant dense<[[0, 7, 0], [1, 100, 255]]> : tensor<2x3xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xui8>
  %q = stablehlo.bitcast_convert %0 : (tensor<2x3xui8>) -> tensor<2x3x!quant.uniform<u8:f32, 0.25:128>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<u8:f32, 0.25:128>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-3.2e+01, -3.025e+01, -3.2e+01], [-3.175e+01, -7.0e+00, 3.175e+01]]> : tensor<2x3xf32>
  return
}

func.func @i16() {
  %c0 = stablehlo.constant dense<[[-32768, -7, 0], [1, 100, 32767]]> : tensor<2x3xi16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi16>
  %q = stablehlo.bitcast_convert %0 : (tensor<2x3xi16>) -> tensor<2x3x!quant.uniform<i16:f32, 0.125>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i16:f32, 0.125>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-4.096e+03, -8.75e-01, 0.0e+00], [1.25e-01, 1.25e+01, 4.095875e+03]]> : tensor<2x3xf32>
  return
}

func.func @narrow_range() {
  %c0 = stablehlo.constant dense<[[-127, -7, 0], [1, 100, 127]]> : tensor<2x3xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi8>
  %q = stablehlo.bitcast_convert %0 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8<-127:127>:f32, 0.5>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8<-127:127>:f32, 0.5>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-6.35e+01, -3.5e+00, 0.0e+00], [5.0e-01, 5.0e+01, 6.35e+01]]> : tensor<2x3xf32>
  return
}

func.func @axis() {
  %c0 = stablehlo.constant dense<[[-128, -7, 0], [1, 100, 127]]> : tensor<2x3xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi8>
  %q = stablehlo.bitcast_convert %0 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-1.25e+01, -1.75e+00, -1.4e+01], [4.000000059604645e-01, 2.5e+01, 2.4e+02]]> : tensor<2x3xf32>
  return
}
