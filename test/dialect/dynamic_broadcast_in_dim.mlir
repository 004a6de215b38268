// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @accepted_dynamic(%arg0: tensor<?x3xf32>, %arg1: tensor<3xindex>) -> tensor<?x3x?xf32> {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<?x3xf32>, tensor<3xindex>) -> tensor<?x3x?xf32>
  return %0 : tensor<?x3x?xf32>
}

// -----

func.func @c1(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xf64> {
  // expected-error@+1 {{C1: operand and result must have one element type, found i64, f64}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xf64>
  return %0 : tensor<2x3x2xf64>
}

// -----

func.func @c2(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C2: broadcast_dimensions must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @c3(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C3: broadcast_dimensions must be in [0, 3), found [2, 3]}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 3>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @c4(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C4: broadcast_dimensions must be unique, found [1, 1]}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @c5(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C5: dimension 1 of operand must have size 1 or 2 (dimension 0 of result), found 3}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 0>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @c7(%arg0: tensor<1x3xi64>, %arg1: tensor<2xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C7: output_dimensions must have size 3 (the rank of result), found 2}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 1>} : (tensor<1x3xi64>, tensor<2xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @c8(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C8: known_expanding_dimensions and known_nonexpanding_dimensions must be unique, found [0, 0]}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @c9(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C9: known_expanding_dimensions must be in [0, 2), found [2]}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 1>, known_expanding_dimensions = array<i64: 2>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @c10(%arg0: tensor<1x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3x2xi64> {
  // expected-error@+1 {{C10: known_nonexpanding_dimensions must be in [0, 2), found [-1]}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 2, 1>, known_nonexpanding_dimensions = array<i64: -1>} : (tensor<1x3xi64>, tensor<3xi64>) -> tensor<2x3x2xi64>
  return %0 : tensor<2x3x2xi64>
}

// -----

func.func @accepted_constant_sizes(%a: tensor<4xf32>) -> tensor<?x4xf32> {
  %s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @constant_sizes(%a: tensor<4xf32>) -> tensor<3x4xf32> {
  %s = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  // expected-error@+1 {{result of output_dimensions [1, 4] must have shape [1, 4], found [3, 4]}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @c5_constant_sizes(%a: tensor<4xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi64>
  // expected-error@+1 {{C5: }}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @output_dimensions_of_unknown_size(%arg0: tensor<4xf32>, %arg1: tensor<?xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{output_dimensions must be 1-dimensional tensor of integer or index type of known size, found tensor<?xi32>}}
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<?xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
