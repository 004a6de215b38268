// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<2x4xi32> {
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 4>} : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

func.func @accepted_scalar(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.dynamic_slice"(%arg0) {slice_sizes = array<i64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @c1_c5(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<2x3xf32> {
  // expected-error@+1 {{C1, C5: result must have type tensor<2x3xi32>, found tensor<2x3xf32>}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 3>} : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @c2(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>) -> tensor<2x3xi32> {
  // expected-error@+1 {{C2: start_indices must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1) {slice_sizes = array<i64: 2, 3>} : (tensor<4x4xi32>, tensor<i64>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @c2_2(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<2x4xi32> {
  // expected-error@+1 {{C2: slice_sizes must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2>} : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

func.func @c3(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>, %arg2: tensor<i32>) -> tensor<2x3xi32> {
  // expected-error@+1 {{C3: start_indices must have one type, found tensor<i64>, tensor<i32>}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 3>} : (tensor<4x4xi32>, tensor<i64>, tensor<i32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @c4(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<2x5xi32> {
  // expected-error@+1 {{C4: slice_sizes must be in [0, 4] at dimension 1, found 5}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 5>} : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<2x5xi32>
  return %0 : tensor<2x5xi32>
}

// -----

func.func @c4_2(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<1x3xi32> {
  // expected-error@+1 {{C4: slice_sizes must be at least 0, found [-1, 3]}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: -1, 3>} : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<1x3xi32>
  return %0 : tensor<1x3xi32>
}

// -----

func.func @c1_c5_2(%arg0: tensor<4x4xi32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<3x2xi32> {
  // expected-error@+1 {{C1, C5: result must have type tensor<2x3xi32>, found tensor<3x2xi32>}}
  %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 3>} : (tensor<4x4xi32>, tensor<i64>, tensor<i64>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
