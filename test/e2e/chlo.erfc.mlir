// chlo.erfc: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -3.000000e+01, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = chlo.erfc %0 : tensor<12xbf16> -> tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 1.572266e-01, 1.843750e+00, 4.804688e-01, 2.000000e+00, 4.291534e-06, 1.000000e+00, 2.000000e+00, 0.000000e+00, 2.000000e+00, 0x7FC0]> : tensor<12xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -3.000000e+01, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = chlo.erfc %0 : tensor<12xf16> -> tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 1.573486e-01, 1.842773e+00, 4.794922e-01, 2.000000e+00, 4.291534e-06, 9.990234e-01, 2.000000e+00, 0.000000e+00, 2.000000e+00, 0x7E00]> : tensor<12xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -3.0e+01, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = chlo.erfc %0 : tensor<12xf32> -> tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 1.5729920566082e-01, 1.8427008390426636e+00, 4.795001149177551e-01, 1.9995930194854736e+00, 4.3027794163208455e-06, 9.988716244697571e-01, 2.0e+00, 0.0e+00, 2.0e+00, 0x7FC00000]> : tensor<12xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -3.0e+01, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = chlo.erfc %0 : tensor<12xf64> -> tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 1.5729920705028516e-01, 1.8427007929497148e+00, 4.795001221869535e-01, 1.999593047982555e+00, 4.302779463675121e-06, 9.988716212090307e-01, 2.0e+00, 0.0e+00, 2.0e+00, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 2.000000e-13
  return
}
