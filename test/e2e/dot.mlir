// dot: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @matrices() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xf32>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  check.expect_eq_const %r, dense<[[2.0e+01, 2.3e+01, 2.6e+01, 2.9e+01], [5.6e+01, 6.8e+01, 8.0e+01, 9.2e+01]]> : tensor<2x4xf32>
  return
}

func.func @matrix_and_vector() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[5.0e+00, 1.4e+01]> : tensor<2xf32>
  return
}

func.func @vector_and_matrix() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xf32>
  %r = stablehlo.dot %0, %1 : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[2.0e+01, 2.3e+01, 2.6e+01, 2.9e+01]> : tensor<4xf32>
  return
}

func.func @vectors() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = stablehlo.dot %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  check.expect_eq_const %r, dense<5.0e+00> : tensor<f32>
  return
}

func.func @over_nothing() {
  %c0 = stablehlo.constant dense<> : tensor<2x0xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x0xf32>
  %c1 = stablehlo.constant dense<> : tensor<0x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<0x3xf32>
  %r = stablehlo.dot %0, %1 : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @i32() {
  %c0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi32>
  %c1 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xi32>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %r, dense<[[20, 23, 26, 29], [56, 68, 80, 92]]> : tensor<2x4xi32>
  return
}

func.func @ui8() {
  %c0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xui8>
  %c1 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xui8>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xui8>, tensor<3x4xui8>) -> tensor<2x4xui8>
  check.expect_eq_const %r, dense<[[20, 23, 26, 29], [56, 68, 80, 92]]> : tensor<2x4xui8>
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01]]> : tensor<3x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xf64>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
  check.expect_eq_const %r, dense<[[2.0e+01, 2.3e+01, 2.6e+01, 2.9e+01], [5.6e+01, 6.8e+01, 8.0e+01, 9.2e+01]]> : tensor<2x4xf64>
  return
}

func.func @bf16() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00]]> : tensor<2x3xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xbf16>
  %c1 = stablehlo.constant dense<[[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00], [8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01]]> : tensor<3x4xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xbf16>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  check.expect_eq_const %r, dense<[[2.000000e+01, 2.300000e+01, 2.600000e+01, 2.900000e+01], [5.600000e+01, 6.800000e+01, 8.000000e+01, 9.200000e+01]]> : tensor<2x4xbf16>
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)], [(3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00)]]> : tensor<2x3xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00)], [(4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (7.0e+00, 0.0e+00)], [(8.0e+00, 0.0e+00), (9.0e+00, 0.0e+00), (1.0e+01, 0.0e+00), (1.1e+01, 0.0e+00)]]> : tensor<3x4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xcomplex<f32>>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(2.0e+01, 0.0e+00), (2.3e+01, 0.0e+00), (2.6e+01, 0.0e+00), (2.9e+01, 0.0e+00)], [(5.6e+01, 0.0e+00), (6.8e+01, 0.0e+00), (8.0e+01, 0.0e+00), (9.2e+01, 0.0e+00)]]> : tensor<2x4xcomplex<f32>>
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)], [(3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00)]]> : tensor<2x3xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00)], [(4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (6.0e+00, 0.0e+00), (7.0e+00, 0.0e+00)], [(8.0e+00, 0.0e+00), (9.0e+00, 0.0e+00), (1.0e+01, 0.0e+00), (1.1e+01, 0.0e+00)]]> : tensor<3x4xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4xcomplex<f64>>
  %r = stablehlo.dot %0, %1 : (tensor<2x3xcomplex<f64>>, tensor<3x4xcomplex<f64>>) -> tensor<2x4xcomplex<f64>>
  check.expect_eq_const %r, dense<[[(2.0e+01, 0.0e+00), (2.3e+01, 0.0e+00), (2.6e+01, 0.0e+00), (2.9e+01, 0.0e+00)], [(5.6e+01, 0.0e+00), (6.8e+01, 0.0e+00), (8.0e+01, 0.0e+00), (9.2e+01, 0.0e+00)]]> : tensor<2x4xcomplex<f64>>
  return
}
