// unary_einsum: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @one_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = "stablehlo.unary_einsum"(%0) <{einsum_config = "ij->ji"}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 3.0e+00], [1.0e+00, 4.0e+00], [2.0e+00, 5.0e+00]]> : tensor<3x2xf32>
  return
}

func.func @one_1() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = "stablehlo.unary_einsum"(%0) <{einsum_config = "ij->i"}> : (tensor<2x3xf32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[3.0e+00, 1.2e+01]> : tensor<2xf32>
  return
}

func.func @one_2() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00]], [[6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %r = "stablehlo.unary_einsum"(%0) <{einsum_config = "ijk->kj"}> : (tensor<2x3x2xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[6.0e+00, 1.0e+01, 1.4e+01], [8.0e+00, 1.2e+01, 1.6e+01]]> : tensor<2x3xf32>
  return
}
