// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>) -> tensor<5x9xi32> {
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: 1, 2>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  return %0 : tensor<5x9xi32>
}

// -----

func.func @accepted_negative(%arg0: tensor<5xf32>, %arg1: tensor<f32>) -> tensor<0xf32> {
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: -2>, edge_padding_high = array<i64: -3>, interior_padding = array<i64: 0>} : (tensor<5xf32>, tensor<f32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

func.func @accepted_empty(%arg0: tensor<0xf32>, %arg1: tensor<f32>) -> tensor<1xf32> {
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 7>} : (tensor<0xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @c1(%arg0: tensor<2x3xi32>, %arg1: tensor<f32>) -> tensor<5x9xi32> {
  // expected-error@+1 {{C1: operand and padding_value must have one element type, found i32, f32}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: 1, 2>} : (tensor<2x3xi32>, tensor<f32>) -> tensor<5x9xi32>
  return %0 : tensor<5x9xi32>
}

// -----

func.func @c1_c4(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>) -> tensor<5x9xf32> {
  // expected-error@+1 {{C1, C4: result must have type tensor<5x9xi32>, found tensor<5x9xf32>}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: 1, 2>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xf32>
  return %0 : tensor<5x9xf32>
}

// -----

func.func @c2(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>) -> tensor<5x9xi32> {
  // expected-error@+1 {{C2: edge_padding_low must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: 1, 2>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  return %0 : tensor<5x9xi32>
}

// -----

func.func @c2_2(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>) -> tensor<5x9xi32> {
  // expected-error@+1 {{C2: edge_padding_high must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2>, interior_padding = array<i64: 1, 2>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  return %0 : tensor<5x9xi32>
}

// -----

func.func @c2_3(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>) -> tensor<5x9xi32> {
  // expected-error@+1 {{C2: interior_padding must have size 2 (the rank of operand), found 0}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x9xi32>
  return %0 : tensor<5x9xi32>
}

// -----

func.func @c3(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>) -> tensor<3x9xi32> {
  // expected-error@+1 {{C3: interior_padding must be at least 0, found [-1, 2]}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: -1, 2>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<3x9xi32>
  return %0 : tensor<3x9xi32>
}

// -----

func.func @c4(%arg0: tensor<2xi32>, %arg1: tensor<i32>) -> tensor<0xi32> {
  // expected-error@+1 {{C4: sizes of result must be in [0, 2^63), found [-1]}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: -3>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>} : (tensor<2xi32>, tensor<i32>) -> tensor<0xi32>
  return %0 : tensor<0xi32>
}

// -----

func.func @c4_2(%arg0: tensor<2xi32>, %arg1: tensor<i32>) -> tensor<0xi32> {
  // expected-error@+1 {{C4: sizes of result must be in [0, 2^63)}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 9223372036854775807>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>} : (tensor<2xi32>, tensor<i32>) -> tensor<0xi32>
  return %0 : tensor<0xi32>
}

// -----

func.func @c1_c4_2(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>) -> tensor<5x8xi32> {
  // expected-error@+1 {{C1, C4: result must have type tensor<5x9xi32>, found tensor<5x8xi32>}}
  %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, 1>, interior_padding = array<i64: 1, 2>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<5x8xi32>
  return %0 : tensor<5x8xi32>
}
