// logistic: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.logistic %0 : tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[5.000000e-01, 5.000000e-01, 7.304688e-01, 2.695312e-01, 6.210938e-01, 7.568359e-02, 9.609375e-01, 5.000000e-01, 0.000000e+00, 1.000000e+00, 0.000000e+00, 0x7FC0]> : tensor<12xbf16>, tolerance = 1.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.logistic %0 : tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[5.000000e-01, 5.000000e-01, 7.309570e-01, 2.690430e-01, 6.225586e-01, 7.586670e-02, 9.628906e-01, 5.004883e-01, 0.000000e+00, 1.000000e+00, 0.000000e+00, 0x7E00]> : tensor<12xf16>, tolerance = 2.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.logistic %0 : tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[5.0e-01, 5.0e-01, 7.310585975646973e-01, 2.689414322376251e-01, 6.22459352016449e-01, 7.585818320512772e-02, 9.626731276512146e-01, 5.00249981880188e-01, 3.783505853677006e-44, 1.0e+00, 0.0e+00, 0xFFC00000]> : tensor<12xf32>, tolerance = 2.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.logistic %0 : tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[5.0e-01, 5.0e-01, 7.310585786300049e-01, 2.689414213699951e-01, 6.224593312018546e-01, 7.585818002124355e-02, 9.626731126558706e-01, 5.002499999791666e-01, 3.7200759760208356e-44, 1.0e+00, 0.0e+00, 0xFFF8000000000000]> : tensor<12xf64>, tolerance = 1.000000e-13
  return
}
