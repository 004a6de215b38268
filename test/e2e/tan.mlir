// tan: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.tan %0 : tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.554688e+00, -1.554688e+00, 5.468750e-01, 7.460938e-01, 1.088867e-01, 9.994507e-04, 5.859375e-01, 0xFFC0, 0xFFC0, 0x7FC0]> : tensor<12xbf16>, tolerance = 1.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.tan %0 : tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.557617e+00, -1.557617e+00, 5.463867e-01, 7.470703e-01, 1.088257e-01, 1.000404e-03, 5.874023e-01, 0xFE00, 0xFE00, 0x7E00]> : tensor<12xf16>, tolerance = 2.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.tan %0 : tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.5574077367782593e+00, -1.5574077367782593e+00, 5.463024973869324e-01, 7.47022271156311e-01, 1.0883402824401855e-01, 1.0000003967434168e-03, 5.87213933467865e-01, 0xFFC00000, 0xFFC00000, 0x7FC00000]> : tensor<12xf32>, tolerance = 2.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.tan %0 : tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.5574077246549023e+00, -1.5574077246549023e+00, 5.463024898437905e-01, 7.470222972386603e-01, 1.0883402551332971e-01, 1.0000003333334668e-03, 5.872139151569291e-01, 0xFFF8000000000000, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 1.000000e-13
  return
}
