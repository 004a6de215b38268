// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @c1(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+1 {{C1: feature_index must be in [0, 3), found 3}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 3 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @c1_2(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+1 {{C1: feature_index must be in [0, 3), found -1}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = -1 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @c2(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf64>, %arg2: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+1 {{C2: operand, scale, offset must have one element type, found f32, f64, f32}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf64>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @c3(%arg0: tensor<2x2x3xf32>, %arg1: tensor<2xf32>, %arg2: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+1 {{C3: scale must have size 3 (dimension 2 of operand), found 2}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @c4(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+1 {{C4: offset must have size 3 (dimension 2 of operand), found 2}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @c5_c6_c7(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<2xf32>, tensor<3xf32>) {
  // expected-error@+1 {{C5, C6, C7: result 1 must have type tensor<3xf32>, found tensor<2xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<2xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<2xf32>, tensor<3xf32>
}

// -----

func.func @c5_c6_c7_2(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf64>) {
  // expected-error@+1 {{C5, C6, C7: result 2 must have type tensor<3xf32>, found tensor<3xf64>}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf64>)
  return %0#0, %0#1, %0#2 : tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf64>
}

// -----

func.func @c5_c6_c7_3(%arg0: tensor<2x2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+1 {{C5, C6, C7: result 0 must have type tensor<2x2x3xf32>, found tensor<2x3x2xf32>}}
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>
}
