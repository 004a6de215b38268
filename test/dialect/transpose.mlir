// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3x4xi32>) -> tensor<4x2x3xi32> {
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
  return %0 : tensor<4x2x3xi32>
}

// -----

func.func @accepted_scalar(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @c1_c3(%arg0: tensor<2x3x4xi32>) -> tensor<4x2x3xf32> {
  // expected-error@+1 {{C1, C3: result must have type tensor<4x2x3xi32>, found tensor<4x2x3xf32>}}
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xi32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

func.func @c2(%arg0: tensor<2x3x4xi32>) -> tensor<4x2xi32> {
  // expected-error@+1 {{C2: permutation must be a permutation of [0, 1, 2], found [2, 0]}}
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 2, 0>} : (tensor<2x3x4xi32>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

// -----

func.func @c2_2(%arg0: tensor<2x3x4xi32>) -> tensor<4x2x2xi32> {
  // expected-error@+1 {{C2: permutation must be a permutation of [0, 1, 2], found [2, 0, 0]}}
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 2, 0, 0>} : (tensor<2x3x4xi32>) -> tensor<4x2x2xi32>
  return %0 : tensor<4x2x2xi32>
}

// -----

func.func @c2_3(%arg0: tensor<2x3x4xi32>) -> tensor<4x2x2xi32> {
  // expected-error@+1 {{C2: permutation must be a permutation of [0, 1, 2], found [3, 1, 2]}}
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 3, 1, 2>} : (tensor<2x3x4xi32>) -> tensor<4x2x2xi32>
  return %0 : tensor<4x2x2xi32>
}

// -----

func.func @c1_c3_2(%arg0: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
  // expected-error@+1 {{C1, C3: result must have type tensor<4x2x3xi32>, found tensor<2x3x4xi32>}}
  %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
  return %0 : tensor<2x3x4xi32>
}
