// chlo.broadcast_atan2: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_atan2"(%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[0.0e+00, 6.435011029243469e-01, 7.086262702941895e-01], [1.1071487665176392e+00, 8.960554003715515e-01, 1.41897052526474e-01]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f64_1() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  %r = "chlo.broadcast_atan2"(%0, %1) {} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[0.0e+00, 6.435011087932844e-01, 7.086262721276703e-01], [1.1071487177940904e+00, 8.960553845713439e-01, 1.4189705460416394e-01]]> : tensor<2x3xf64>, tolerance = 8.000000e-13
  return
}

func.func @bf16_2() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 3.000000e+00, 6.000000e+00], [2.000000e+00, 5.000000e+00, 1.000000e+00]]> : tensor<2x3xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xbf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 4.000000e+00, 7.000000e+00]> : tensor<3xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xbf16>
  %r = "chlo.broadcast_atan2"(%0, %1) {} : (tensor<2x3xbf16>, tensor<3xbf16>) -> tensor<2x3xbf16>
  check.expect_almost_eq_const %r, dense<[[0.000000e+00, 6.445312e-01, 7.070312e-01], [1.109375e+00, 8.945312e-01, 1.416016e-01]]> : tensor<2x3xbf16>, tolerance = 8.000000e-02
  return
}

func.func @f32_3() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_atan2"(%0, %1) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[0.0e+00, 6.435011029243469e-01, 7.086262702941895e-01], [0.0e+00, 4.6364760398864746e-01, 1.249045729637146e+00]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_4() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_atan2"(%0, %1) {} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00], [1.249045729637146e+00, 6.435011029243469e-01, 4.048917889595032e-01]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_5() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_atan2"(%0, %1) {} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %r, dense<[[0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]]> : tensor<2x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_6() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_atan2"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00], [7.853981852531433e-01, 4.6364760398864746e-01, 9.827937483787537e-01]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 3.0e+00], [6.0e+00, 2.0e+00], [5.0e+00, 1.0e+00]], [[4.0e+00, 0.0e+00], [3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_atan2"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 1.249045729637146e+00], [9.827937483787537e-01, 4.6364760398864746e-01], [6.202495098114014e-01, 1.41897052526474e-01]], [[1.3258177042007446e+00, 0.0e+00], [6.435011029243469e-01, 9.827937483787537e-01], [2.782996594905853e-01, 6.202495098114014e-01]]]> : tensor<2x3x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_8() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00]]> : tensor<1x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xf32>
  %r = "chlo.broadcast_atan2"(%0, %1) {} : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<0x2xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<0x2xf32>, tolerance = 1.600000e-05
  return
}
