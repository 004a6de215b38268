// reduce: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @sum_inner() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01], [2.5e+01, 2.6e+01, 2.7e+01, 2.8e+01, 2.9e+01], [3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01], [3.5e+01, 3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01]], [[4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01], [4.5e+01, 4.6e+01, 4.7e+01, 4.8e+01, 4.9e+01], [5.0e+01, 5.1e+01, 5.2e+01, 5.3e+01, 5.4e+01], [5.5e+01, 5.6e+01, 5.7e+01, 5.8e+01, 5.9e+01]]]> : tensor<3x4x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4x5xf32>
  %c1 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x4xf32>
  check.expect_almost_eq_const %r, dense<[[1.0e+01, 3.5e+01, 6.0e+01, 8.5e+01], [1.1e+02, 1.35e+02, 1.6e+02, 1.85e+02], [2.1e+02, 2.35e+02, 2.6e+02, 2.85e+02]]> : tensor<3x4xf32>, tolerance = 1.000000e-06
  return
}

func.func @sum_outer() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01], [2.5e+01, 2.6e+01, 2.7e+01, 2.8e+01, 2.9e+01], [3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01], [3.5e+01, 3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01]], [[4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01], [4.5e+01, 4.6e+01, 4.7e+01, 4.8e+01, 4.9e+01], [5.0e+01, 5.1e+01, 5.2e+01, 5.3e+01, 5.4e+01], [5.5e+01, 5.6e+01, 5.7e+01, 5.8e+01, 5.9e+01]]]> : tensor<3x4x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4x5xf32>
  %c1 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  check.expect_almost_eq_const %r, dense<[[6.0e+01, 6.3e+01, 6.6e+01, 6.9e+01, 7.2e+01], [7.5e+01, 7.8e+01, 8.1e+01, 8.4e+01, 8.7e+01], [9.0e+01, 9.3e+01, 9.6e+01, 9.9e+01, 1.02e+02], [1.05e+02, 1.08e+02, 1.11e+02, 1.14e+02, 1.17e+02]]> : tensor<4x5xf32>, tolerance = 1.000000e-06
  return
}

func.func @sum_middle() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01], [2.5e+01, 2.6e+01, 2.7e+01, 2.8e+01, 2.9e+01], [3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01], [3.5e+01, 3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01]], [[4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01], [4.5e+01, 4.6e+01, 4.7e+01, 4.8e+01, 4.9e+01], [5.0e+01, 5.1e+01, 5.2e+01, 5.3e+01, 5.4e+01], [5.5e+01, 5.6e+01, 5.7e+01, 5.8e+01, 5.9e+01]]]> : tensor<3x4x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4x5xf32>
  %c1 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  check.expect_almost_eq_const %r, dense<[[3.0e+01, 3.4e+01, 3.8e+01, 4.2e+01, 4.6e+01], [1.1e+02, 1.14e+02, 1.18e+02, 1.22e+02, 1.26e+02], [1.9e+02, 1.94e+02, 1.98e+02, 2.02e+02, 2.06e+02]]> : tensor<3x5xf32>, tolerance = 1.000000e-06
  return
}

func.func @sum_two() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01], [2.5e+01, 2.6e+01, 2.7e+01, 2.8e+01, 2.9e+01], [3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01], [3.5e+01, 3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01]], [[4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01], [4.5e+01, 4.6e+01, 4.7e+01, 4.8e+01, 4.9e+01], [5.0e+01, 5.1e+01, 5.2e+01, 5.3e+01, 5.4e+01], [5.5e+01, 5.6e+01, 5.7e+01, 5.8e+01, 5.9e+01]]]> : tensor<3x4x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4x5xf32>
  %c1 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_almost_eq_const %r, dense<[3.3e+02, 4.05e+02, 4.8e+02, 5.55e+02]> : tensor<4xf32>, tolerance = 1.000000e-06
  return
}

func.func @sum_all() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01], [2.5e+01, 2.6e+01, 2.7e+01, 2.8e+01, 2.9e+01], [3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01], [3.5e+01, 3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01]], [[4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01], [4.5e+01, 4.6e+01, 4.7e+01, 4.8e+01, 4.9e+01], [5.0e+01, 5.1e+01, 5.2e+01, 5.3e+01, 5.4e+01], [5.5e+01, 5.6e+01, 5.7e+01, 5.8e+01, 5.9e+01]]]> : tensor<3x4x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4x5xf32>
  %c1 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
  check.expect_almost_eq_const %r, dense<1.77e+03> : tensor<f32>, tolerance = 1.000000e-06
  return
}

func.func @sum_none() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01], [2.5e+01, 2.6e+01, 2.7e+01, 2.8e+01, 2.9e+01], [3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01], [3.5e+01, 3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01]], [[4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01], [4.5e+01, 4.6e+01, 4.7e+01, 4.8e+01, 4.9e+01], [5.0e+01, 5.1e+01, 5.2e+01, 5.3e+01, 5.4e+01], [5.5e+01, 5.6e+01, 5.7e+01, 5.8e+01, 5.9e+01]]]> : tensor<3x4x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4x5xf32>
  %c1 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x4x5xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00], [1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01], [1.5e+01, 1.6e+01, 1.7e+01, 1.8e+01, 1.9e+01]], [[2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01], [2.5e+01, 2.6e+01, 2.7e+01, 2.8e+01, 2.9e+01], [3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01], [3.5e+01, 3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01]], [[4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01], [4.5e+01, 4.6e+01, 4.7e+01, 4.8e+01, 4.9e+01], [5.0e+01, 5.1e+01, 5.2e+01, 5.3e+01, 5.4e+01], [5.5e+01, 5.6e+01, 5.7e+01, 5.8e+01, 5.9e+01]]]> : tensor<3x4x5xf32>, tolerance = 1.000000e-06
  return
}

func.func @maximum_i32() {
  %c0 = stablehlo.constant dense<[[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1], [2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2], [3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3]]> : tensor<3x21xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xi32>
  %c1 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<3x21xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[5, 5, 5]> : tensor<3xi32>
  return
}

func.func @minimum_ui8() {
  %c0 = stablehlo.constant dense<[[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1], [2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2], [3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3]]> : tensor<3x21xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xui8>
  %c1 = stablehlo.constant dense<255> : tensor<ui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<ui8>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.minimum across dimensions = [1] : (tensor<3x21xui8>, tensor<ui8>) -> tensor<3xui8>
  check.expect_eq_const %r, dense<[1, 1, 1]> : tensor<3xui8>
  return
}

func.func @maximum_f64() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00], [2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00]]> : tensor<3x21xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xf64>
  %c1 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f64>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<3x21xf64>, tensor<f64>) -> tensor<3xf64>
  check.expect_eq_const %r, dense<[5.0e+00, 5.0e+00, 5.0e+00]> : tensor<3xf64>
  return
}

func.func @or_i1() {
  %c0 = stablehlo.constant dense<[[true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]]> : tensor<3x21xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xi1>
  %c1 = stablehlo.constant dense<false> : tensor<i1>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i1>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.or across dimensions = [1] : (tensor<3x21xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %r, dense<[true, true, true]> : tensor<3xi1>
  return
}

func.func @and_i1() {
  %c0 = stablehlo.constant dense<[[true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]]> : tensor<3x21xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xi1>
  %c1 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i1>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.and across dimensions = [1] : (tensor<3x21xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %r, dense<[true, true, true]> : tensor<3xi1>
  return
}

func.func @add_complex_f32() {
  %c0 = stablehlo.constant dense<[[(1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)], [(2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)], [(3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00)]]> : tensor<3x21xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xcomplex<f32>>
  %c1 = stablehlo.constant dense<(0.0e+00, 0.0e+00)> : tensor<complex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<complex<f32>>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (tensor<3x21xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_eq_const %r, dense<[(6.1e+01, 0.0e+00), (6.2e+01, 0.0e+00), (6.3e+01, 0.0e+00)]> : tensor<3xcomplex<f32>>
  return
}

func.func @maximum_bf16() {
  %c0 = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00], [2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<3x21xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xbf16>
  %c1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<bf16>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<3x21xbf16>, tensor<bf16>) -> tensor<3xbf16>
  check.expect_eq_const %r, dense<[5.000000e+00, 5.000000e+00, 5.000000e+00]> : tensor<3xbf16>
  return
}

func.func @multiply_i64() {
  %c0 = stablehlo.constant dense<[[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1], [2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2], [3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3]]> : tensor<3x21xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x21xi64>
  %c1 = stablehlo.constant dense<1> : tensor<i64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i64>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.multiply across dimensions = [1] : (tensor<3x21xi64>, tensor<i64>) -> tensor<3xi64>
  check.expect_eq_const %r, dense<[207360000, 414720000, 622080000]> : tensor<3xi64>
  return
}

func.func @argmax() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 7.0e+00, 7.0e+00, 3.0e+00], [0x7FC00000, 2.0e+00, 9.0e+00, 0x7FC00000]]> : tensor<2x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4xf32>
  %c1 = stablehlo.constant dense<[[0, 1, 2, 3], [0, 1, 2, 3]]> : tensor<2x4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4xi32>
  %c2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %c3 = stablehlo.constant dense<0> : tensor<i32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<i32>
  %r0, %r1 = stablehlo.reduce(%0 init: %2), (%1 init: %3) across dimensions = [1] : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %gt = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %first = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %eq, %lt : tensor<i1>
    %pick = stablehlo.or %first, %tie : tensor<i1>
    %v = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %pick, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
   }
  check.expect_eq_const %r0, dense<[7.0e+00, 0x7FC00000]> : tensor<2xf32>
  check.expect_eq_const %r1, dense<[1, 0]> : tensor<2xi32>
  return
}

func.func @over_nothing() {
  %c0 = stablehlo.constant dense<> : tensor<3x0xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x0xf32>
  %c1 = stablehlo.constant dense<4.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[4.0e+00, 4.0e+00, 4.0e+00]> : tensor<3xf32>
  return
}

func.func @cut_off() {
  %c0 = stablehlo.constant dense<[[100, 100, 100, 100, 100, 100, 100, 100], [-100, -100, -100, -100, -100, -100, -100, -100]]> : tensor<2x8xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x8xi8>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.convert %0 : (tensor<2x8xi8>) -> tensor<2x8xi32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x8xi32>, tensor<i32>) -> tensor<2xi32>
  %r = stablehlo.convert %2 : (tensor<2xi32>) -> tensor<2xui8>
  check.expect_eq_const %r, dense<[32, 224]> : tensor<2xui8>
  return
}
