// chlo.broadcast_polygamma: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_polygamma"(%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, -3.7500690668821335e-02, 1.3922719517722726e-03], [6.493939399719238e+00, -5.726160854101181e-02, -2.3530472069978714e-02]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f64_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  %r = "chlo.broadcast_polygamma"(%0, %1) {} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  check.expect_almost_eq_const %r, dense<[[1.6449340668482266e+00, -3.7500691342112806e-02, 1.3922719030164219e-03], [6.493939402266829e+00, -5.726160798855054e-02, -2.3530472985855234e-02]]> : tensor<2x3xf64>, tolerance = 8.000000e-13
  return
}

func.func @f32_2() {
  %c0 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_polygamma"(%0, %1) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, -3.7500690668821335e-02, 1.3922719517722726e-03], [3.949340581893921e-01, -6.383191328495741e-03, 2.0549875259399414e+01]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_3() {
  %c0 = stablehlo.constant dense<[[1.0e+00], [4.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_polygamma"(%0, %1) {} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 2.838229537010193e-01, 1.5354517102241516e-01], [-2.4886266708374023e+01, -3.7500690668821335e-02, -3.296771552413702e-03]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_4() {
  %c0 = stablehlo.constant dense<1.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_polygamma"(%0, %1) {} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 2.838229537010193e-01], [1.5354517102241516e-01, 3.949340581893921e-01]]> : tensor<2x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_5() {
  %c0 = stablehlo.constant dense<[1.0e+00, 4.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_polygamma"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %r, dense<[[1.644934058189392e+00, 2.838229537010193e-01, 1.5354517102241516e-01], [-1.3626612722873688e-01, -6.383191328495741e-03, -8.862661123275757e-01]]> : tensor<2x3xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_6() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00], [6.0e+00, 2.0e+00]], [[5.0e+00, 1.0e+00], [4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_polygamma"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_almost_eq_const %r, dense<[[[1.644934058189392e+00, -2.4886266708374023e+01], [9.419965744018555e-02, 4.486532881855965e-02], [-1.528279040940106e-03, -2.3530472069978714e-02]], [[1.2208116912841797e+02, 1.644934058189392e+00], [-3.7500690668821335e-02, 9.419965744018555e-02], [7.198198698461056e-03, -1.528279040940106e-03]]]> : tensor<2x3x2xf32>, tolerance = 1.600000e-05
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00]]> : tensor<1x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xf32>
  %r = "chlo.broadcast_polygamma"(%0, %1) {} : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<0x2xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<0x2xf32>, tolerance = 1.600000e-05
  return
}
