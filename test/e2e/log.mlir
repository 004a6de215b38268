// log: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.log %0 : tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[0xFF80, 0xFF80, 0.000000e+00, 0xFFC0, -6.914062e-01, 0xFFC0, 1.179688e+00, -6.906250e+00, 0xFFC0, 0x7F80, 0xFFC0, 0x7FC0]> : tensor<12xbf16>, tolerance = 1.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.log %0 : tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[0xFC00, 0xFC00, 0.000000e+00, 0xFE00, -6.933594e-01, 0xFE00, 1.178711e+00, -6.906250e+00, 0xFE00, 0x7C00, 0xFE00, 0x7E00]> : tensor<12xf16>, tolerance = 2.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.log %0 : tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[0xFF800000, 0xFF800000, 0.0e+00, 0xFFC00000, -6.931471824645996e-01, 0xFFC00000, 1.1786550283432007e+00, -6.907755374908447e+00, 0xFFC00000, 0x7F800000, 0xFFC00000, 0x7FC00000]> : tensor<12xf32>, tolerance = 2.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.log %0 : tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[0xFFF0000000000000, 0xFFF0000000000000, 0.0e+00, 0xFFF8000000000000, -6.931471805599453e-01, 0xFFF8000000000000, 1.1786549963416462e+00, -6.907755278982137e+00, 0xFFF8000000000000, 0x7FF0000000000000, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 1.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f32>>
  %r = stablehlo.log %0 : tensor<12xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(-1.3862943649291992e+00, 1.5707963705062866e+00), (4.0546509623527527e-01, -1.5707963705062866e+00), (3.031231090426445e-02, 2.44978666305542e-01), (5.893275141716003e-01, -9.827937483787537e-01), (3.031231090426445e-02, 2.8966140747070312e+00), (5.893275141716003e-01, -2.158798933029175e+00), (-5.815753936767578e-01, 4.6364760398864746e-01), (4.581453800201416e-01, -1.249045729637146e+00), (9.212658405303955e-01, 3.041923999786377e+00), (1.070033073425293e+00, -2.601173162460327e+00), (1.1816048622131348e+00, 7.677189260721207e-02), (1.2752106189727783e+00, -4.3240776658058167e-01)]> : tensor<12xcomplex<f32>>, tolerance = 4.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f64>>
  %r = stablehlo.log %0 : tensor<12xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(-1.3862943611198906e+00, 1.5707963267948966e+00), (4.054651081081644e-01, -1.5707963267948966e+00), (3.031231090821742e-02, 2.4497866312686414e-01), (5.89327498170823e-01, -9.82793723247329e-01), (3.031231090821742e-02, 2.896613990462929e+00), (5.89327498170823e-01, -2.158798930342464e+00), (-5.815754049028404e-01, 4.636476090008061e-01), (4.5814536593707755e-01, -1.2490457723982544e+00), (9.21265897300739e-01, 3.0419240010986313e+00), (1.0700330817481354e+00, -2.601173153319209e+00), (1.1816048574052402e+00, 7.677189126977804e-02), (1.2752106284493134e+00, -4.3240777557053783e-01)]> : tensor<12xcomplex<f64>>, tolerance = 1.000000e-12
  return
}
