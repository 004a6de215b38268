// chlo.bessel_i1e: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -3.000000e+01]> : tensor<9xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<9xbf16>
  %r = chlo.bessel_i1e %0 : tensor<9xbf16> -> tensor<9xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 0.000000e+00, 2.080078e-01, -2.080078e-01, 1.562500e-01, -2.070312e-01, 1.923828e-01, 4.997253e-04, -7.177734e-02]> : tensor<9xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -3.000000e+01]> : tensor<9xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<9xf16>
  %r = chlo.bessel_i1e %0 : tensor<9xf16> -> tensor<9xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 0.000000e+00, 2.078857e-01, -2.078857e-01, 1.563721e-01, -2.065430e-01, 1.920166e-01, 4.997253e-04, -7.189941e-02]> : tensor<9xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -3.0e+01]> : tensor<9xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<9xf32>
  %r = chlo.bessel_i1e %0 : tensor<9xf32> -> tensor<9xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 0.0e+00, 2.07910418510437e-01, -2.07910418510437e-01, 1.5642079710960388e-01, -2.065846472978592e-01, 1.9203105568885803e-01, 4.995003109797835e-04, -7.191632688045502e-02]> : tensor<9xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -3.0e+01]> : tensor<9xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<9xf64>
  %r = chlo.bessel_i1e %0 : tensor<9xf64> -> tensor<9xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 0.0e+00, 2.079104153497085e-01, -2.079104153497085e-01, 1.5642080318487173e-01, -2.0658464953126654e-01, 1.9203105433313605e-01, 4.995003123542213e-04, -7.191633059864755e-02]> : tensor<9xf64>, tolerance = 2.000000e-13
  return
}
