// chlo.atan: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -3.000000e+01, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = chlo.atan %0 : tensor<12xbf16> -> tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 7.851562e-01, -7.851562e-01, 4.628906e-01, -1.187500e+00, 1.273438e+00, 9.994507e-04, -1.539062e+00, 1.570312e+00, -1.570312e+00, 0x7FC0]> : tensor<12xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -3.000000e+01, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = chlo.atan %0 : tensor<12xf16> -> tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 7.851562e-01, -7.851562e-01, 4.636230e-01, -1.190430e+00, 1.272461e+00, 1.000404e-03, -1.537109e+00, 1.570312e+00, -1.570312e+00, 0x7E00]> : tensor<12xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -3.0e+01, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = chlo.atan %0 : tensor<12xf32> -> tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 7.853981852531433e-01, -7.853981852531433e-01, 4.6364760398864746e-01, -1.1902899742126465e+00, 1.2722973823547363e+00, 9.999996982514858e-04, -1.537475347518921e+00, 1.5707963705062866e+00, -1.5707963705062866e+00, 0x7FC00000]> : tensor<12xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -3.0e+01, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = chlo.atan %0 : tensor<12xf64> -> tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 7.853981633974483e-01, -7.853981633974483e-01, 4.636476090008061e-01, -1.1902899496825317e+00, 1.2722973952087173e+00, 9.999996666668668e-04, -1.5374753309166493e+00, 1.5707963267948966e+00, -1.5707963267948966e+00, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.atan %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(4.8425450921058655e-01, 2.0058661699295044e-01), (-1.1780972480773926e+00, 1.732867956161499e-01), (1.126556396484375e+00, -9.641561657190323e-02), (-4.800351560115814e-01, -7.016804218292236e-01), (1.2490458488464355e+00, 0.0e+00), (-1.2490458488464355e+00, 0.0e+00), (0.0e+00, 1.2565721571445465e-01), (1.4847009181976318e+00, -2.2117134928703308e-01)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.atan %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(4.842544903299662e-01, 2.0058661813123432e-01), (-1.1780972450961724e+00, 1.7328679513998632e-01), (1.1265564408348223e+00, -9.641562020299617e-02), (-4.80035181202844e-01, -7.016804321523099e-01), (1.2490457723982544e+00, 0.0e+00), (-1.2490457723982544e+00, 0.0e+00), (0.0e+00, 1.2565721414045303e-01), (1.484700919533427e+00, -2.2117134811470598e-01)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
