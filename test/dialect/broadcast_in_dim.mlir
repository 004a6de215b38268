// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<1x3xi32>) -> tensor<2x3x2xi32> {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  return %0 : tensor<2x3x2xi32>
}

// -----

func.func @accepted_scalar(%arg0: tensor<f32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @accepted_same_size(%arg0: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @c1(%arg0: tensor<1x3xi32>) -> tensor<2x3x2xf32> {
  // expected-error@+1 {{C1: operand and result must have one element type, found i32, f32}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xi32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

// -----

func.func @c2(%arg0: tensor<1x3xi32>) -> tensor<2x3x2xi32> {
  // expected-error@+1 {{C2: broadcast_dimensions must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 2>} : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  return %0 : tensor<2x3x2xi32>
}

// -----

func.func @c3(%arg0: tensor<1x3xi32>) -> tensor<2x3x2xi32> {
  // expected-error@+1 {{C3: broadcast_dimensions must be in [0, 3), found [3, 1]}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 3, 1>} : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  return %0 : tensor<2x3x2xi32>
}

// -----

func.func @c3_2(%arg0: tensor<1x3xi32>) -> tensor<2x3x2xi32> {
  // expected-error@+1 {{C3: broadcast_dimensions must be in [0, 3), found [-1, 1]}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: -1, 1>} : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  return %0 : tensor<2x3x2xi32>
}

// -----

func.func @c4(%arg0: tensor<1x3xi32>) -> tensor<2x3x2xi32> {
  // expected-error@+1 {{C4: broadcast_dimensions must be unique, found [1, 1]}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<1x3xi32>) -> tensor<2x3x2xi32>
  return %0 : tensor<2x3x2xi32>
}

// -----

func.func @c5(%arg0: tensor<1x2xi32>) -> tensor<2x3x2xi32> {
  // expected-error@+1 {{C5: dimension 1 of operand must have size 1 or 3 (dimension 1 of result), found 2}}
  %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x2xi32>) -> tensor<2x3x2xi32>
  return %0 : tensor<2x3x2xi32>
}
