// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.unary_einsum"(%arg0) {einsum_config = "ab->b"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @einsum_config(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{einsum_config: einsum_config must have one term}}
  %0 = "stablehlo.unary_einsum"(%arg0) {einsum_config = "ab"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @einsum_config_2(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{einsum_config: result must have shape [3], found [2]}}
  %0 = "stablehlo.unary_einsum"(%arg0) {einsum_config = "ab->b"} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
