// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3x2xi64>, %arg1: tensor<1x2xi64>) -> tensor<4x2xi64> {
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @accepted_one(%arg0: tensor<3x2xi64>) -> tensor<3x2xi64> {
  %0 = "stablehlo.concatenate"(%arg0) {dimension = 1 : i64} : (tensor<3x2xi64>) -> tensor<3x2xi64>
  return %0 : tensor<3x2xi64>
}

// -----

func.func @accepted_dynamic(%arg0: tensor<3x?xi64>, %arg1: tensor<1x2xi64>) -> tensor<4x2xi64> {
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<3x?xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c1(%arg0: tensor<3x2xi64>, %arg1: tensor<1x2xi32>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C1: inputs must have one element type, found i64, i32}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<3x2xi64>, tensor<1x2xi32>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c2(%arg0: tensor<3x2xi64>, %arg1: tensor<1x3xi64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C2: inputs must have one shape except at dimension 0}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<3x2xi64>, tensor<1x3xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c2_2(%arg0: tensor<3x2xi64>, %arg1: tensor<1xi64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C2: inputs must have one shape except at dimension 0}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<3x2xi64>, tensor<1xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c3() -> tensor<4x2xi64> {
  // expected-error@+1 {{C3: must have at least one input, found 0}}
  %0 = "stablehlo.concatenate"() {dimension = 0 : i64} : () -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c4(%arg0: tensor<3x2xi64>, %arg1: tensor<1x2xi64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C4: dimension must be in [0, 2), found 2}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 2 : i64} : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c4_2(%arg0: tensor<3x2xi64>, %arg1: tensor<1x2xi64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C4: dimension must be in [0, 2), found -1}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = -1 : i64} : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c5_c6(%arg0: tensor<3x2xi64>, %arg1: tensor<1x2xi64>) -> tensor<4x2xi32> {
  // expected-error@+1 {{C5, C6: result must have type tensor<4x2xi64>, found tensor<4x2xi32>}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

// -----

func.func @c5_c6_2(%arg0: tensor<3x2xi64>, %arg1: tensor<1x2xi64>) -> tensor<5x2xi64> {
  // expected-error@+1 {{C5, C6: result must have type tensor<4x2xi64>, found tensor<5x2xi64>}}
  %0 = "stablehlo.concatenate"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<3x2xi64>, tensor<1x2xi64>) -> tensor<5x2xi64>
  return %0 : tensor<5x2xi64>
}
