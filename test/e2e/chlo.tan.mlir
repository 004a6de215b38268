// chlo.tan: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 9.994507e-04, 0x7FC0]> : tensor<8xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xbf16>
  %r = chlo.tan %0 : tensor<8xbf16> -> tensor<8xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.554688e+00, -1.554688e+00, 5.468750e-01, 7.460938e-01, 9.994507e-04, 0x7FC0]> : tensor<8xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 1.000404e-03, 0x7E00]> : tensor<8xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xf16>
  %r = chlo.tan %0 : tensor<8xf16> -> tensor<8xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.557617e+00, -1.557617e+00, 5.463867e-01, 7.470703e-01, 1.000404e-03, 0x7E00]> : tensor<8xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 1.0000000474974513e-03, 0x7FC00000]> : tensor<8xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xf32>
  %r = chlo.tan %0 : tensor<8xf32> -> tensor<8xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.5574077367782593e+00, -1.5574077367782593e+00, 5.463024973869324e-01, 7.47022271156311e-01, 1.0000003967434168e-03, 0x7FC00000]> : tensor<8xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 1.0e-03, 0x7FF8000000000000]> : tensor<8xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xf64>
  %r = chlo.tan %0 : tensor<8xf64> -> tensor<8xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.5574077246549023e+00, -1.5574077246549023e+00, 5.463024898437905e-01, 7.470222972386603e-01, 1.0000003333334668e-03, 0x7FF8000000000000]> : tensor<8xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.tan %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(5.045007467269897e-01, 3.1242072582244873e-01), (2.4345821142196655e-01, 1.1667362451553345e+00), (-8.508781790733337e-01, -1.3212865591049194e+00), (-1.89717099070549e-01, -6.398358941078186e-01), (-1.4254653453826904e-01, 0.0e+00), (1.4254653453826904e-01, 0.0e+00), (0.0e+00, 1.2435299158096313e-01), (9.474388207308948e-05, -1.0006643533706665e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.tan %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(5.04500702698564e-01, 3.124206925025888e-01), (2.434582011857253e-01, 1.16673625724092e+00), (-8.508781211449378e-01, -1.3212865837711916e+00), (-1.8971709151908692e-01, -6.3983593026318e-01), (-1.425465430742778e-01, 0.0e+00), (1.425465430742778e-01, 0.0e+00), (0.0e+00, 1.2435300177159621e-01), (9.474389678024223e-05, -1.0006644271437029e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
