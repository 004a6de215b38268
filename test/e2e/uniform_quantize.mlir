// uniform_quantize: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @per_i8() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-6.55e+01, -1.5e+00, 0.0e+00], [5.0e-01, 5.0e-01, 6.2e+01]]> : tensor<2x3xf32>
  return
}

func.func @per_ui8() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8:f32, 0.25:128>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<u8:f32, 0.25:128>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-3.2e+01, -1.25e+00, 0.0e+00], [2.5e-01, 2.5e-01, 3.175e+01]]> : tensor<2x3xf32>
  return
}

func.func @per_i16() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i16:f32, 0.125>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i16:f32, 0.125>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-2.0e+02, -1.25e+00, 0.0e+00], [2.5e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  return
}

func.func @per_i4() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i4:f32, 2.0:-1>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i4:f32, 2.0:-1>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-1.4e+01, -2.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 1.6e+01]]> : tensor<2x3xf32>
  return
}

func.func @per_narrow_range() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8<-127:127>:f32, 0.5>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8<-127:127>:f32, 0.5>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-6.35e+01, -1.5e+00, 0.0e+00], [5.0e-01, 0.0e+00, 6.35e+01]]> : tensor<2x3xf32>
  return
}

func.func @per_axis() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-1.25e+01, -1.25e+00, 0.0e+00], [3.0000001192092896e-01, 2.5e-01, 2.4e+02]]> : tensor<2x3xf32>
  return
}

func.func @axis_to_i8() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>>
  %p = stablehlo.uniform_quantize %q : (tensor<2x3x!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0:7}>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %p : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-1.25e+01, -1.5e+00, 0.0e+00], [5.0e-01, 5.0e-01, 6.2e+01]]> : tensor<2x3xf32>
  return
}

func.func @i8_to_i16() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %p = stablehlo.uniform_quantize %q : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i16:f32, 0.125>>
  %r = stablehlo.uniform_dequantize %p : (tensor<2x3x!quant.uniform<i16:f32, 0.125>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-6.55e+01, -1.5e+00, 0.0e+00], [5.0e-01, 5.0e-01, 6.2e+01]]> : tensor<2x3xf32>
  return
}

func.func @ui8_to_i8() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8:f32, 0.25:128>>
  %p = stablehlo.uniform_quantize %q : (tensor<2x3x!quant.uniform<u8:f32, 0.25:128>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %p : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-3.2e+01, -1.5e+00, 0.0e+00], [5.0e-01, 5.0e-01, 3.15e+01]]> : tensor<2x3xf32>
  return
}
