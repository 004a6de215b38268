// einsum: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @pair_0_float32() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xf32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ij,jk->ik"}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  check.expect_eq_const %r, dense<[[2.0e+01, 2.3e+01, 2.6e+01, 2.9e+01], [5.6e+01, 6.8e+01, 8.0e+01, 9.2e+01]]> : tensor<2x4xf32>
  return
}

func.func @pair_0_int32() {
  %c0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi32>
  %c1 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xi32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ij,jk->ik"}> : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[20, 23, 26, 29], [56, 68, 80, 92]]> : tensor<2x4xi32>
  return
}

func.func @pair_1_float32() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]], [[6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]]> : tensor<2x2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2x3xf32>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00]], [[6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01]]]> : tensor<2x3x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x2xf32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "bij,bjk->bik"}> : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
  check.expect_eq_const %r, dense<[[[1.0e+01, 1.3e+01], [2.8e+01, 4.0e+01]], [[1.72e+02, 1.93e+02], [2.44e+02, 2.74e+02]]]> : tensor<2x2x2xf32>
  return
}

func.func @pair_1_int32() {
  %c0 = stablehlo.constant dense<[[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]> : tensor<2x2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2x3xi32>
  %c1 = stablehlo.constant dense<[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]> : tensor<2x3x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x2xi32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "bij,bjk->bik"}> : (tensor<2x2x3xi32>, tensor<2x3x2xi32>) -> tensor<2x2x2xi32>
  check.expect_eq_const %r, dense<[[[10, 13], [28, 40]], [[172, 193], [244, 274]]]> : tensor<2x2x2xi32>
  return
}

func.func @pair_2_float32() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ij,ij->"}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
  check.expect_eq_const %r, dense<5.5e+01> : tensor<f32>
  return
}

func.func @pair_2_int32() {
  %c0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi32>
  %c1 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xi32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ij,ij->"}> : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<i32>
  check.expect_eq_const %r, dense<55> : tensor<i32>
  return
}

func.func @pair_3_float32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "i,j->ij"}> : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 1.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @pair_3_int32() {
  %c0 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi32>
  %c1 = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "i,j->ij"}> : (tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 0, 0], [0, 1, 2]]> : tensor<2x3xi32>
  return
}

func.func @pair_4_float32() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ij,j->ji"}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00], [1.0e+00, 4.0e+00], [4.0e+00, 1.0e+01]]> : tensor<3x2xf32>
  return
}

func.func @pair_4_int32() {
  %c0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi32>
  %c1 = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ij,j->ji"}> : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %r, dense<[[0, 0], [1, 4], [4, 10]]> : tensor<3x2xi32>
  return
}

func.func @pair_5_float32() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]], [[6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01]]]> : tensor<2x2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2x3xf32>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00]]> : tensor<3x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x2xf32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ijk,kl->il"}> : (tensor<2x2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[3.8e+01, 5.3e+01], [1.1e+02, 1.61e+02]]> : tensor<2x2xf32>
  return
}

func.func @pair_5_int32() {
  %c0 = stablehlo.constant dense<[[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]> : tensor<2x2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2x3xi32>
  %c1 = stablehlo.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x2xi32>
  %r = "stablehlo.einsum"(%0, %1) <{einsum_config = "ijk,kl->il"}> : (tensor<2x2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[38, 53], [110, 161]]> : tensor<2x2xi32>
  return
}
