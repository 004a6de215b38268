// chlo.square: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.500000e+00, -2.500000e+00, 0x7F80, 0x7FC0]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = chlo.square %0 : tensor<6xbf16> -> tensor<6xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 0.000000e+00, 2.250000e+00, 6.250000e+00, 0x7F80, 0x7FC0]> : tensor<6xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.500000e+00, -2.500000e+00, 0x7C00, 0x7E00]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = chlo.square %0 : tensor<6xf16> -> tensor<6xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 0.000000e+00, 2.250000e+00, 6.250000e+00, 0x7C00, 0x7E00]> : tensor<6xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.5e+00, -2.5e+00, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = chlo.square %0 : tensor<6xf32> -> tensor<6xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 0.0e+00, 2.25e+00, 6.25e+00, 0x7F800000, 0x7FC00000]> : tensor<6xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.5e+00, -2.5e+00, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = chlo.square %0 : tensor<6xf64> -> tensor<6xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 0.0e+00, 2.25e+00, 6.25e+00, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<6xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.square %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(1.875e-01, 2.5e-01), (3.0e+00, -4.0e+00), (3.75e+00, -2.0e+00), (-3.999999761581421e-01, 4.2000001668930054e-01), (9.0e+00, 0.0e+00), (9.0e+00, -0.0e+00), (-1.5625e-02, 0.0e+00), (-1.375e+01, -1.2e+01)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.square %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.875e-01, 2.5e-01), (3.0e+00, -4.0e+00), (3.75e+00, -2.0e+00), (-3.9999999999999997e-01, 4.2e-01), (9.0e+00, 0.0e+00), (9.0e+00, -0.0e+00), (-1.5625e-02, 0.0e+00), (-1.375e+01, -1.2e+01)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
