// chlo.broadcast_zeta: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[2.0e+00, 5.0e+00, 8.0e+00], [4.0e+00, 7.0e+00, 3.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_zeta"(%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 1.5625287778675556e-03, 2.7624443532658916e-07], [1.0823231935501099e+00, 7.953000749694183e-05, 1.1765236034989357e-02]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f64_1() {
  %c0 = stablehlo.constant dense<[[2.0e+00, 5.0e+00, 8.0e+00], [4.0e+00, 7.0e+00, 3.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  %r = "chlo.broadcast_zeta"(%0, %1) {} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[1.6449340668482266e+00, 1.5625288059213668e-03, 2.7624442520167103e-07], [1.0823232337111381e+00, 7.953001109520908e-05, 1.1765236492927617e-02]]> : tensor<2x3xf64>, tolerance = 8.000000e-13
  return
}

func.func @f32_2() {
  %c0 = stablehlo.constant dense<[2.0e+00, 5.0e+00, 8.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_zeta"(%0, %1) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 1.5625287778675556e-03, 2.7624443532658916e-07], [3.949340581893921e-01, 2.65966315055266e-04, 4.077356308698654e-03]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_3() {
  %c0 = stablehlo.constant dense<[[2.0e+00], [5.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_zeta"(%0, %1) {} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 2.838229537010193e-01, 1.5354517102241516e-01], [1.0369277000427246e+00, 1.5625287778675556e-03, 1.3736548135057092e-04]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_4() {
  %c0 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_zeta"(%0, %1) {} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 2.838229537010193e-01], [1.5354517102241516e-01, 3.949340581893921e-01]]> : tensor<2x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_5() {
  %c0 = stablehlo.constant dense<[2.0e+00, 5.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_zeta"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 2.838229537010193e-01, 1.5354517102241516e-01], [5.677754990756512e-03, 2.65966315055266e-04, 3.6927755922079086e-02]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_6() {
  %c0 = stablehlo.constant dense<[[[2.0e+00, 5.0e+00], [8.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]], [[6.0e+00, 2.0e+00], [5.0e+00, 8.0e+00], [4.0e+00, 7.0e+00]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_zeta"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_almost_eq_const %r, dense<[[[1.644934058189392e+00, 1.0369277000427246e+00], [1.8690407159738243e-05, 7.477554492652416e-03], [2.12260965781752e-06, 1.1765236034989357e-02]], [[1.0173430442810059e+00, 1.644934058189392e+00], [1.5625287778675556e-03, 1.8690407159738243e-05], [1.199699705466628e-03, 2.12260965781752e-06]]]> : tensor<2x3x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00]]> : tensor<1x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xf32>
  %r = "chlo.broadcast_zeta"(%0, %1) {} : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<0x2xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<0x2xf32>, tolerance = 1.600000e-05
  return
}
