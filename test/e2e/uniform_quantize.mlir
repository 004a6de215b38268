// uniform_quantize: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @per_tensor() {
  %c0 = stablehlo.constant dense<[[-2.0e+02, -1.2999999523162842e+00, 0.0e+00], [2.5999999046325684e-01, 2.5e-01, 5.0e+02]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %q = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
  %r = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-6.55e+01, -1.5e+00, 0.0e+00], [5.0e-01, 0.0e+00, 6.2e+01]]> : tensor<2x3xf32>
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
