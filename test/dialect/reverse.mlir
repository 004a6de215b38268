// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: 1, 0>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @accepted_none(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @c1(%arg0: tensor<2x3xi32>) -> tensor<3x2xi32> {
  // expected-error@+1 {{C1: result must have type tensor<2x3xi32>, found tensor<3x2xi32>}}
  %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: 1>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// -----

func.func @c2(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // expected-error@+1 {{C2: dimensions must be unique, found [1, 1]}}
  %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: 1, 1>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @c3(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // expected-error@+1 {{C3: dimensions must be in [0, 2), found [2]}}
  %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: 2>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @c3_2(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // expected-error@+1 {{C3: dimensions must be in [0, 2), found [-1]}}
  %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: -1>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
