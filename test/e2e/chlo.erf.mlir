// chlo.erf: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -3.000000e+01, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = chlo.erf %0 : tensor<12xbf16> -> tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 8.437500e-01, -8.437500e-01, 5.195312e-01, -1.000000e+00, 1.000000e+00, 1.129150e-03, -1.000000e+00, 1.000000e+00, -1.000000e+00, 0x7FC0]> : tensor<12xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -3.000000e+01, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = chlo.erf %0 : tensor<12xf16> -> tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 8.427734e-01, -8.427734e-01, 5.205078e-01, -9.995117e-01, 1.000000e+00, 1.129150e-03, -1.000000e+00, 1.000000e+00, -1.000000e+00, 0x7E00]> : tensor<12xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -3.0e+01, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = chlo.erf %0 : tensor<12xf32> -> tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 8.427007794380188e-01, -8.427007794380188e-01, 5.204998850822449e-01, -9.995930194854736e-01, 9.999957084655762e-01, 1.128378789871931e-03, -1.0e+00, 1.0e+00, -1.0e+00, 0x7FC00000]> : tensor<12xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -3.0e+01, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = chlo.erf %0 : tensor<12xf64> -> tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 8.427007929497148e-01, -8.427007929497148e-01, 5.204998778130465e-01, -9.99593047982555e-01, 9.999956972205363e-01, 1.1283787909692363e-03, -1.0e+00, 1.0e+00, -1.0e+00, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 2.000000e-13
  return
}
