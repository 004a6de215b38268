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
