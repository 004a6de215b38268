// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<2xf32> {
  %0 = "stablehlo.uniform_dequantize"(%arg0) : (tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @c1_c2(%arg0: tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<3xf32> {
  // expected-error@+1 {{C1, C2: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %0 = "stablehlo.uniform_dequantize"(%arg0) : (tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @c1_c2_2(%arg0: tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<2xf64> {
  // expected-error@+1 {{C1, C2: result must have type tensor<2xf32>, found tensor<2xf64>}}
  %0 = "stablehlo.uniform_dequantize"(%arg0) : (tensor<2x!quant.uniform<i8:f32,0.1:-30>>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
