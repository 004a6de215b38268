// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// -----

func.func @accepted_scalar(%arg0: tensor<1x1xf32>) -> tensor<f32> {
  %0 = "stablehlo.reshape"(%arg0) : (tensor<1x1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @accepted_empty(%arg0: tensor<0x5xf32>) -> tensor<0xf32> {
  %0 = "stablehlo.reshape"(%arg0) : (tensor<0x5xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

func.func @accepted_dynamic(%arg0: tensor<?x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.reshape"(%arg0) : (tensor<?x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @c1(%arg0: tensor<2x3xi32>) -> tensor<3x2xui32> {
  // expected-error@+1 {{C1: operand and result must have one element type, found i32, ui32}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xi32>) -> tensor<3x2xui32>
  return %0 : tensor<3x2xui32>
}

// -----

func.func @c2(%arg0: tensor<2x3xi32>) -> tensor<4x2xi32> {
  // expected-error@+1 {{C2: operand and result must have the same number of elements, found 6 and 8}}
  %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xi32>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}
