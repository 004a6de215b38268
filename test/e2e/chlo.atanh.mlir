// chlo.atanh: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 9.994507e-04, 8.750000e-01, 1.500000e+00, 0x7FC0]> : tensor<10xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xbf16>
  %r = chlo.atanh %0 : tensor<10xbf16> -> tensor<10xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 0x7F80, 0xFF80, 5.507812e-01, -2.558594e-01, 9.994507e-04, 1.351562e+00, 0xFFC0, 0x7FC0]> : tensor<10xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 1.000404e-03, 8.750000e-01, 1.500000e+00, 0x7E00]> : tensor<10xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf16>
  %r = chlo.atanh %0 : tensor<10xf16> -> tensor<10xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 0x7C00, 0xFC00, 5.493164e-01, -2.553711e-01, 1.000404e-03, 1.354492e+00, 0xFE00, 0x7E00]> : tensor<10xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0000000474974513e-03, 8.75e-01, 1.5e+00, 0x7FC00000]> : tensor<10xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf32>
  %r = chlo.atanh %0 : tensor<10xf32> -> tensor<10xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 0x7F800000, 0xFF800000, 5.493061542510986e-01, -2.554128170013428e-01, 1.0000003967434168e-03, 1.35402512550354e+00, 0xFFC00000, 0x7FC00000]> : tensor<10xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0e-03, 8.75e-01, 1.5e+00, 0x7FF8000000000000]> : tensor<10xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf64>
  %r = chlo.atanh %0 : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 0x7FF0000000000000, 0xFFF0000000000000, 5.493061443340549e-01, -2.5541281188299536e-01, 1.0000003333335333e-03, 1.354025100551105e+00, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<10xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.atanh %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(5.003700256347656e-01, 3.143981695175171e-01), (-4.023594856262207e-01, 1.338972568511963e+00), (5.003700256347656e-01, -1.4215468168258667e+00), (-1.998818814754486e-01, -6.396697759628296e-01), (3.465735912322998e-01, 1.5707963705062866e+00), (-3.465735912322998e-01, 1.5707963705062866e+00), (0.0e+00, 1.243550032377243e-01), (7.856227457523346e-02, -1.3536741733551025e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.atanh %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(5.003700000525311e-01, 3.143981432077165e-01), (-4.0235947810852507e-01, 1.3389725222944935e+00), (5.003700000525311e-01, -1.421546861001807e+00), (-1.9988189602962933e-01, -6.396697661585148e-01), (3.4657359027997264e-01, 1.5707963267948966e+00), (-3.4657359027997264e-01, 1.5707963267948966e+00), (0.0e+00, 1.2435499454676144e-01), (7.856227495912568e-02, -1.3536741663964962e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
