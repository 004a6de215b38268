// chlo.digamma: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[5.000000e-01, 1.000000e+00, 2.000000e+00, 3.250000e+00, 1.000000e+01, 9.994507e-04, -5.000000e-01, -2.250000e+00, 3.000000e+01, 0x7FC0]> : tensor<10xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xbf16>
  %r = chlo.digamma %0 : tensor<10xbf16> -> tensor<10xbf16>
  check.expect_almost_eq_const %r, dense<[-1.960938e+00, -5.781250e-01, 4.218750e-01, 1.015625e+00, 2.250000e+00, -1.000000e+03, 3.637695e-02, 4.156250e+00, 3.390625e+00, 0x7FC0]> : tensor<10xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[5.000000e-01, 1.000000e+00, 2.000000e+00, 3.250000e+00, 1.000000e+01, 1.000404e-03, -5.000000e-01, -2.250000e+00, 3.000000e+01, 0x7E00]> : tensor<10xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf16>
  %r = chlo.digamma %0 : tensor<10xf16> -> tensor<10xf16>
  check.expect_almost_eq_const %r, dense<[-1.963867e+00, -5.771484e-01, 4.228516e-01, 1.016602e+00, 2.251953e+00, -1.000000e+03, 3.649902e-02, 4.160156e+00, 3.384766e+00, 0x7E00]> : tensor<10xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[5.0e-01, 1.0e+00, 2.0e+00, 3.25e+00, 1.0e+01, 1.0000000474974513e-03, -5.0e-01, -2.25e+00, 3.0e+01, 0x7FC00000]> : tensor<10xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf32>
  %r = chlo.digamma %0 : tensor<10xf32> -> tensor<10xf32>
  check.expect_almost_eq_const %r, dense<[-1.9635100364685059e+00, -5.772156715393066e-01, 4.2278432846069336e-01, 1.0169909000396729e+00, 2.2517526149749756e+00, -1.0005755004882812e+03, 3.6489974707365036e-02, 4.158583641052246e+00, 3.3844380378723145e+00, 0x7FC00000]> : tensor<10xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[5.0e-01, 1.0e+00, 2.0e+00, 3.25e+00, 1.0e+01, 1.0e-03, -5.0e-01, -2.25e+00, 3.0e+01, 0x7FF8000000000000]> : tensor<10xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf64>
  %r = chlo.digamma %0 : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %r, dense<[-1.9635100260214235e+00, -5.772156649015329e-01, 4.2278433509846713e-01, 1.016990911068179e+00, 2.251752589066721e+00, -1.0005755719318103e+03, 3.648997397857651e-02, 4.158583564657972e+00, 3.384438132685525e+00, 0x7FF8000000000000]> : tensor<10xf64>, tolerance = 2.000000e-13
  return
}
