// chlo.lgamma: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[5.000000e-01, 1.000000e+00, 2.000000e+00, 3.250000e+00, 1.000000e+01, 9.994507e-04, -5.000000e-01, -2.250000e+00, 3.000000e+01, 0x7FC0]> : tensor<10xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xbf16>
  %r = chlo.lgamma %0 : tensor<10xbf16> -> tensor<10xbf16>
  check.expect_almost_eq_const %r, dense<[5.742188e-01, 0.000000e+00, 0.000000e+00, 9.375000e-01, 1.281250e+01, 6.906250e+00, 1.265625e+00, 5.546875e-01, 7.150000e+01, 0x7FC0]> : tensor<10xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[5.000000e-01, 1.000000e+00, 2.000000e+00, 3.250000e+00, 1.000000e+01, 1.000404e-03, -5.000000e-01, -2.250000e+00, 3.000000e+01, 0x7E00]> : tensor<10xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf16>
  %r = chlo.lgamma %0 : tensor<10xf16> -> tensor<10xf16>
  check.expect_almost_eq_const %r, dense<[5.722656e-01, 0.000000e+00, 0.000000e+00, 9.360352e-01, 1.280469e+01, 6.906250e+00, 1.265625e+00, 5.556641e-01, 7.125000e+01, 0x7E00]> : tensor<10xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[5.0e-01, 1.0e+00, 2.0e+00, 3.25e+00, 1.0e+01, 1.0000000474974513e-03, -5.0e-01, -2.25e+00, 3.0e+01, 0x7FC00000]> : tensor<10xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf32>
  %r = chlo.lgamma %0 : tensor<10xf32> -> tensor<10xf32>
  check.expect_almost_eq_const %r, dense<[5.723649263381958e-01, 0.0e+00, 0.0e+00, 9.358019232749939e-01, 1.2801827430725098e+01, 6.90717887878418e+00, 1.2655121088027954e+00, 5.555015206336975e-01, 7.125704193115234e+01, 0x7FC00000]> : tensor<10xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[5.0e-01, 1.0e+00, 2.0e+00, 3.25e+00, 1.0e+01, 1.0e-03, -5.0e-01, -2.25e+00, 3.0e+01, 0x7FF8000000000000]> : tensor<10xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf64>
  %r = chlo.lgamma %0 : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %r, dense<[5.723649429247e-01, 0.0e+00, 0.0e+00, 9.358019311087253e-01, 1.2801827480081469e+01, 6.907178885383853e+00, 1.2655121234846454e+00, 5.555015450206474e-01, 7.1257038967168e+01, 0x7FF8000000000000]> : tensor<10xf64>, tolerance = 2.000000e-13
  return
}
