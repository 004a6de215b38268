// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @accepted_vectors(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<f32> {
  %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @accepted_matrix_vector(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @ranks(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  // expected-error@+1 {{ranks: lhs and rhs must have rank 1 or 2, found 3 and 2}}
  %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

func.func @contracting(%arg0: tensor<3x3xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error@+1 {{contracting: last dimension of lhs and first of rhs must have the same size, found 3 and 4}}
  %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<3x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @precision_config(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5xf32> {
  // expected-error@+1 {{precision_config: precision_config must have at most 2 elements (one an operand), found 3}}
  %0 = "stablehlo.dot"(%arg0, %arg1) {precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @result(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<5x3xf32> {
  // expected-error@+1 {{result: result must have shape [3, 5], found [5, 3]}}
  %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
