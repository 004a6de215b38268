// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xi64>, %arg1: tensor<2xi64>) -> tensor<3x2xi64> {
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<3x2xi64>
  return %0 : tensor<3x2xi64>
}

// -----

func.func @accepted_dynamic(%arg0: tensor<?x3xi64>, %arg1: tensor<2xindex>) -> tensor<?x?xi64> {
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<?x3xi64>, tensor<2xindex>) -> tensor<?x?xi64>
  return %0 : tensor<?x?xi64>
}

// -----

func.func @c1(%arg0: tensor<2x3xi64>, %arg1: tensor<2xi64>) -> tensor<3x2xf64> {
  // expected-error@+1 {{C1: operand and result must have one element type, found i64, f64}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}

// -----

func.func @c2(%arg0: tensor<2x3xi64>, %arg1: tensor<2xi64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C2: operand and result must have the same number of elements, found 6 and 8}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x3xi64>, tensor<2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c4(%arg0: tensor<2x3xi64>, %arg1: tensor<3xi64>) -> tensor<3x2xi64> {
  // expected-error@+1 {{C4: output_shape must have size 2 (the rank of result), found 3}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<3x2xi64>
  return %0 : tensor<3x2xi64>
}

// -----

func.func @accepted_constant_shape(%a: tensor<4xf32>) -> tensor<?x2xf32> {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

func.func @constant_shape(%a: tensor<4xf32>) -> tensor<1x4xf32> {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  // expected-error@+1 {{result of output_shape [2, 2] must have shape [2, 2], found [1, 4]}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

func.func @negative_shape(%a: tensor<4xf32>) -> tensor<?x4xf32> {
  %s = stablehlo.constant dense<[-1, 4]> : tensor<2xi64>
  // expected-error@+1 {{output_shape must be at least 0, found [-1, 4]}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @c2_constant_shape(%a: tensor<4xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error@+1 {{C2: operand and result must have the same number of elements, found 4 and 6}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @output_shape_of_unknown_size(%arg0: tensor<4xf32>, %arg1: tensor<?xi32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{output_shape must be 1-dimensional tensor of integer or index type of known size, found tensor<?xi32>}}
  %0 = "stablehlo.dynamic_reshape"(%arg0, %arg1) : (tensor<4xf32>, tensor<?xi32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
