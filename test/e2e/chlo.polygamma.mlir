// chlo.polygamma: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 1.000000e+00, 5.000000e+00]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 5.000000e-01, 4.000000e+00, 1.000000e+00, 2.000000e+00]> : tensor<6xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<6xbf16>
  %r = chlo.polygamma %0, %1 : tensor<6xbf16>, tensor<6xbf16> -> tensor<6xbf16>
  check.expect_almost_eq_const %r, dense<[-5.781250e-01, 6.445312e-01, -1.687500e+01, 4.492188e-02, 1.648438e+00, 2.078125e+00]> : tensor<6xbf16>, tolerance = 8.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 1.000000e+00, 5.000000e+00]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 5.000000e-01, 4.000000e+00, 1.000000e+00, 2.000000e+00]> : tensor<6xf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<6xf16>
  %r = chlo.polygamma %0, %1 : tensor<6xf16>, tensor<6xf16> -> tensor<6xf16>
  check.expect_almost_eq_const %r, dense<[-5.771484e-01, 6.450195e-01, -1.682812e+01, 4.486084e-02, 1.644531e+00, 2.082031e+00]> : tensor<6xf16>, tolerance = 1.600000e-02
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 1.0e+00, 5.0e+00]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 5.0e-01, 4.0e+00, 1.0e+00, 2.0e+00]> : tensor<6xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<6xf32>
  %r = chlo.polygamma %0, %1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  check.expect_almost_eq_const %r, dense<[-5.772156715393066e-01, 6.449340581893921e-01, -1.682879638671875e+01, 4.486532881855965e-02, 1.644934058189392e+00, 2.081167459487915e+00]> : tensor<6xf32>, tolerance = 1.600000e-05
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 1.0e+00, 5.0e+00]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 5.0e-01, 4.0e+00, 1.0e+00, 2.0e+00]> : tensor<6xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<6xf64>
  %r = chlo.polygamma %0, %1 : tensor<6xf64>, tensor<6xf64> -> tensor<6xf64>
  check.expect_almost_eq_const %r, dense<[-5.772156649015329e-01, 6.449340668482266e-01, -1.6828796644234316e+01, 4.486532819275508e-02, 1.6449340668482266e+00, 2.0811674381338965e+00]> : tensor<6xf64>, tolerance = 8.000000e-13
  return
}
