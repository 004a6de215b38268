// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32,0.1:-30>> {
  %0 = "stablehlo.uniform_quantize"(%arg0) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32,0.1:-30>>
  return %0 : tensor<2x!quant.uniform<i8:f32,0.1:-30>>
}

// -----

func.func @accepted_requantize(%arg0: tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<2x!quant.uniform<i16:f32,0.5>> {
  %0 = "stablehlo.uniform_quantize"(%arg0) : (tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<2x!quant.uniform<i16:f32,0.5>>
  return %0 : tensor<2x!quant.uniform<i16:f32,0.5>>
}

// -----

func.func @c1(%arg0: tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32,0.1:-30>> {
  // expected-error@+1 {{C1: operand and result must have one shape}}
  %0 = "stablehlo.uniform_quantize"(%arg0) : (tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32,0.1:-30>>
  return %0 : tensor<3x!quant.uniform<i8:f32,0.1:-30>>
}

// -----

func.func @c2(%arg0: tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32,0.1:-30>> {
  // expected-error@+1 {{C2: expressed type of result must be f64 (that of operand), found f32}}
  %0 = "stablehlo.uniform_quantize"(%arg0) : (tensor<2xf64>) -> tensor<2x!quant.uniform<i8:f32,0.1:-30>>
  return %0 : tensor<2x!quant.uniform<i8:f32,0.1:-30>>
}
