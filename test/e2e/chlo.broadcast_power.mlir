// chlo.broadcast_power: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_power"(%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.0e+00, 2.56e+02, 8.23543e+05], [3.0e+00, 1.296e+03, 1.28e+02]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f64_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  %r = "chlo.broadcast_power"(%0, %1) {} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[1.0e+00, 2.56e+02, 8.23543e+05], [3.0e+00, 1.296e+03, 1.28e+02]]> : tensor<2x3xf64>, tolerance = 8.000000e-13
  return
}

func.func @bf16_2() {
  %c0 = stablehlo.constant dense<[[1.000000e+00, 4.000000e+00, 7.000000e+00], [3.000000e+00, 6.000000e+00, 2.000000e+00]]> : tensor<2x3xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xbf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 4.000000e+00, 7.000000e+00]> : tensor<3xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xbf16>
  %r = "chlo.broadcast_power"(%0, %1) {} : (tensor<2x3xbf16>, tensor<3xbf16>) -> tensor<2x3xbf16>
  check.expect_almost_eq_const %r, dense<[[1.000000e+00, 2.560000e+02, 8.232960e+05], [3.000000e+00, 1.296000e+03, 1.280000e+02]]> : tensor<2x3xbf16>, tolerance = 8.000000e-02
  return
}

func.func @f32_3() {
  %c0 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_power"(%0, %1) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.0e+00, 2.56e+02, 8.23543e+05], [1.0e+00, 4.096e+03, 4.9e+01]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_4() {
  %c0 = stablehlo.constant dense<[[1.0e+00], [4.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_power"(%0, %1) {} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.0e+00, 1.0e+00, 1.0e+00], [4.0e+00, 2.56e+02, 1.6384e+04]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_5() {
  %c0 = stablehlo.constant dense<1.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_power"(%0, %1) {} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %r, dense<[[1.0e+00, 1.0e+00], [1.0e+00, 1.0e+00]]> : tensor<2x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_6() {
  %c0 = stablehlo.constant dense<[1.0e+00, 4.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_power"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.0e+00, 1.0e+00, 1.0e+00], [6.4e+01, 4.096e+03, 1.6e+01]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00], [6.0e+00, 2.0e+00]], [[5.0e+00, 1.0e+00], [4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_power"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_almost_eq_const %r, dense<[[[1.0e+00, 4.0e+00], [2.401e+03, 8.1e+01], [2.79936e+05, 1.28e+02]], [[5.0e+00, 1.0e+00], [2.56e+02, 2.401e+03], [2.187e+03, 2.79936e+05]]]> : tensor<2x3x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_8() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00]]> : tensor<1x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xf32>
  %r = "chlo.broadcast_power"(%0, %1) {} : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<0x2xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<0x2xf32>, tolerance = 1.600000e-05
  return
}
