// cbrt: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.cbrt %0 : tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 7.929688e-01, -1.359375e+00, 1.484375e+00, 1.000977e-01, -4.656250e+00, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>, tolerance = 1.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.cbrt %0 : tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 7.934570e-01, -1.357422e+00, 1.481445e+00, 1.000366e-01, -4.640625e+00, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>, tolerance = 2.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.cbrt %0 : tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 7.937005162239075e-01, -1.3572088479995728e+00, 1.4812480211257935e+00, 1.0000000149011612e-01, -4.6415886878967285e+00, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>, tolerance = 2.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.cbrt %0 : tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 7.937005259840998e-01, -1.3572088082974534e+00, 1.4812480342036853e+00, 1.0e-01, -4.641588833612779e+00, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 1.000000e-13
  return
}
