// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ab,bc->ac"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @einsum_config(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{einsum_config: einsum_config must have two terms}}
  %0 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ab->ac"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @einsum_config_2(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{einsum_config: einsum_config must name 2 dimensions of tensor<3x4xf32>, found 'b'}}
  %0 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ab,b->a"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @einsum_config_3(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error@+1 {{einsum_config: dimensions 'a' must have one size, found 2 and 3}}
  %0 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ab,ac->bc"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @einsum_config_4(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{einsum_config: einsum_config must take the result's dimensions from the operands, found d}}
  %0 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ab,bc->ad"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @einsum_config_5(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<4x2xf32> {
  // expected-error@+1 {{einsum_config: result must have shape [2, 4], found [4, 2]}}
  %0 = "stablehlo.einsum"(%arg0, %arg1) {einsum_config = "ab,bc->ac"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
