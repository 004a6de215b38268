// chlo.broadcast_multiply: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.2e+01, 4.2e+01], [2.0e+00, 2.0e+01, 7.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @i32_1() {
  %c0 = stablehlo.constant dense<[[0, 3, 6], [2, 5, 1]]> : tensor<2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi32>
  %c1 = stablehlo.constant dense<[1, 4, 7]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[0, 12, 42], [2, 20, 7]]> : tensor<2x3xi32>
  return
}

func.func @ui8_2() {
  %c0 = stablehlo.constant dense<[[0, 3, 6], [2, 5, 1]]> : tensor<2x3xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xui8>
  %c1 = stablehlo.constant dense<[1, 4, 7]> : tensor<3xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xui8>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<2x3xui8>, tensor<3xui8>) -> tensor<2x3xui8>
  check.expect_eq_const %r, dense<[[0, 12, 42], [2, 20, 7]]> : tensor<2x3xui8>
  return
}

func.func @bf16_3() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 3.000000e+00, 6.000000e+00], [2.000000e+00, 5.000000e+00, 1.000000e+00]]> : tensor<2x3xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xbf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 4.000000e+00, 7.000000e+00]> : tensor<3xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xbf16>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<2x3xbf16>, tensor<3xbf16>) -> tensor<2x3xbf16>
  check.expect_eq_const %r, dense<[[0.000000e+00, 1.200000e+01, 4.200000e+01], [2.000000e+00, 2.000000e+01, 7.000000e+00]]> : tensor<2x3xbf16>
  return
}

func.func @f64_4() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.2e+01, 4.2e+01], [2.0e+00, 2.0e+01, 7.0e+00]]> : tensor<2x3xf64>
  return
}

func.func @complex_f32_5() {
  %c0 = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (6.0e+00, 0.0e+00)], [(2.0e+00, 0.0e+00), (5.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x3xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xcomplex<f32>>
  %c1 = stablehlo.constant dense<[(1.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (7.0e+00, 0.0e+00)]> : tensor<3xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xcomplex<f32>>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<2x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 0.0e+00), (1.2e+01, 0.0e+00), (4.2e+01, 0.0e+00)], [(2.0e+00, 0.0e+00), (2.0e+01, 0.0e+00), (7.0e+00, 0.0e+00)]]> : tensor<2x3xcomplex<f32>>
  return
}

func.func @f32_6() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.2e+01, 4.2e+01], [0.0e+00, 1.8e+01, 1.2e+01]]> : tensor<2x3xf32>
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00], [3.0e+00, 1.2e+01, 2.1e+01]]> : tensor<2x3xf32>
  return
}

func.func @f32_8() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]]> : tensor<2x2xf32>
  return
}

func.func @f32_9() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_multiply"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00], [9.0e+00, 1.8e+01, 6.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @f32_10() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 3.0e+00], [6.0e+00, 2.0e+00], [5.0e+00, 1.0e+00]], [[4.0e+00, 0.0e+00], [3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_multiply"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_eq_const %r, dense<[[[0.0e+00, 3.0e+00], [2.4e+01, 8.0e+00], [3.5e+01, 7.0e+00]], [[4.0e+00, 0.0e+00], [1.2e+01, 2.4e+01], [1.4e+01, 3.5e+01]]]> : tensor<2x3x2xf32>
  return
}

func.func @f32_11() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00]]> : tensor<1x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xf32>
  %r = "chlo.broadcast_multiply"(%0, %1) {} : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}
