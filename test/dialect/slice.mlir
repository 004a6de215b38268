// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3x8xi64>) -> tensor<2x2xi64> {
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 3>} : (tensor<3x8xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @accepted_empty(%arg0: tensor<3x8xi64>) -> tensor<0x0xi64> {
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 3, 8>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 1>} : (tensor<3x8xi64>) -> tensor<0x0xi64>
  return %0 : tensor<0x0xi64>
}

// -----

func.func @c1_c5(%arg0: tensor<3x8xi64>) -> tensor<2x2xi32> {
  // expected-error@+1 {{C1, C5: result must have type tensor<2x2xi64>, found tensor<2x2xi32>}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 2>} : (tensor<3x8xi64>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

func.func @c2(%arg0: tensor<3x8xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C2: start_indices must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 2>} : (tensor<3x8xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c2_2(%arg0: tensor<3x8xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C2: limit_indices must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 3>, strides = array<i64: 1, 2>} : (tensor<3x8xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c2_3(%arg0: tensor<3x8xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C2: strides must have size 2 (the rank of operand), found 3}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 2, 1>} : (tensor<3x8xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c3(%arg0: tensor<3x8xi64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C3: dimension 0 must have 0 <= start_indices <= limit_indices <= 3, found -1 and 3}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: -1, 4>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 2>} : (tensor<3x8xi64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c3_2(%arg0: tensor<3x8xi64>) -> tensor<2x3xi64> {
  // expected-error@+1 {{C3: dimension 1 must have 0 <= start_indices <= limit_indices <= 8, found 4 and 9}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 3, 9>, strides = array<i64: 1, 2>} : (tensor<3x8xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// -----

func.func @c3_3(%arg0: tensor<3x8xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C3: dimension 1 must have 0 <= start_indices <= limit_indices <= 8, found 8 and 4}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 8>, limit_indices = array<i64: 3, 4>, strides = array<i64: 1, 2>} : (tensor<3x8xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c4(%arg0: tensor<3x8xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C4: strides must be at least 1, found [1, 0]}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 0>} : (tensor<3x8xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c1_c5_2(%arg0: tensor<3x8xi64>) -> tensor<2x3xi64> {
  // expected-error@+1 {{C1, C5: result must have type tensor<2x2xi64>, found tensor<2x3xi64>}}
  %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 4>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 2>} : (tensor<3x8xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}
