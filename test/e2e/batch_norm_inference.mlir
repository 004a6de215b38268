// batch_norm_inference: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00]], [[3.0e+00, 4.0e+00], [1.0e+00, 2.0e+00]]]> : tensor<2x2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %c2 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xf32>
  %c3 = stablehlo.constant dense<[2.0e+00, 3.0e+00]> : tensor<2xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xf32>
  %c4 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2xf32>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 0.000000e+00 : f32, feature_index = 2 : i64} : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x2xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00], [2.0e+00, 2.0e+00]], [[2.0e+00, 2.0e+00], [0.0e+00, 0.0e+00]]]> : tensor<2x2x2xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00, 7.5e-01, 7.5e-01]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  %c2 = stablehlo.constant dense<[1.5e+00, 1.5e+00, 1.5e+00, 1.75e+00, 7.5e-01]> : tensor<5xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf32>
  %c3 = stablehlo.constant dense<[2.0e+00, 2.5e-01, 2.5e-01, 2.0e+00, 2.0e+00]> : tensor<5xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<5xf32>
  %c4 = stablehlo.constant dense<[7.5e-01, 5.0e-01, 7.5e-01, 2.5e-01, 2.0e+00]> : tensor<5xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<5xf32>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  check.expect_almost_eq_const %r, dense<[[[-3.7082868814468384e-01, -2.2947332859039307e+00, -8.385358452796936e-01, -1.771141529083252e+00, -7.934872508049011e-01], [-3.7082868814468384e-01, 3.713594436645508e+00, 1.5e+00, -2.536607027053833e+00, -9.221112132072449e-01], [-3.1770718097686768e+00, 2.3508892953395844e-01, 1.7338535785675049e+00, -8.525828719139099e-01, -6.648633480072021e-01]], [[-4.346339702606201e+00, 2.448683261871338e+00, 2.4354143142700195e+00, -2.536607027053833e+00, -9.221112132072449e-01], [-2.475511074066162e+00, -8.113882690668106e-02, 3.370828628540039e+00, -6.994897723197937e-01, -4.0761545300483704e-01], [-2.709364652633667e+00, 2.132455587387085e+00, 1.5e+00, -1.9242346286773682e+00, 1.068803071975708e-01]]]> : tensor<2x3x5xf32>, tolerance = 8.000000e-06
  return
}

func.func @f64_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf64>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00, 7.5e-01, 7.5e-01]> : tensor<5xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf64>
  %c2 = stablehlo.constant dense<[1.5e+00, 1.5e+00, 1.5e+00, 1.75e+00, 7.5e-01]> : tensor<5xf64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf64>
  %c3 = stablehlo.constant dense<[2.0e+00, 2.5e-01, 2.5e-01, 2.0e+00, 2.0e+00]> : tensor<5xf64>
  %3 = stablehlo.optimization_barrier %c3 : tensor<5xf64>
  %c4 = stablehlo.constant dense<[7.5e-01, 5.0e-01, 7.5e-01, 2.5e-01, 2.0e+00]> : tensor<5xf64>
  %4 = stablehlo.optimization_barrier %c4 : tensor<5xf64>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) -> tensor<2x3x5xf64>
  check.expect_almost_eq_const %r, dense<[[[-3.7082869338697066e-01, -2.294733192202055e+00, -8.385358667337135e-01, -1.771141505250819e+00, -7.934872662825794e-01], [-3.7082869338697066e-01, 3.7135943621178655e+00, 1.5e+00, -2.536607049870562e+00, -9.221112051394611e-01], [-3.177071733467427e+00, 2.3508893593264824e-01, 1.7338535866733713e+00, -8.52582851707127e-01, -6.648633274256979e-01]], [[-4.346339666834283e+00, 2.448683298050514e+00, 2.435414346693485e+00, -2.536607049870562e+00, -9.221112051394611e-01], [-2.475510973447313e+00, -8.113883008418954e-02, 3.3708286933869704e+00, -6.994897427831783e-01, -4.0761544971193464e-01], [-2.709364560120684e+00, 2.132455532033676e+00, 1.5e+00, -1.9242346141747673e+00, 1.0688030571559193e-01]]]> : tensor<2x3x5xf64>, tolerance = 4.000000e-13
  return
}

func.func @bf16_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.000000e+00, -1.250000e+00, -1.000000e+00, -8.750000e-01, -1.000000e+00], [1.000000e+00, 1.125000e+00, 2.500000e-01, -1.500000e+00, -1.250000e+00], [-5.000000e-01, -2.500000e-01, 3.750000e-01, -1.250000e-01, -7.500000e-01]], [[-1.125000e+00, 6.250000e-01, 7.500000e-01, -1.500000e+00, -1.250000e+00], [-1.250000e-01, -3.750000e-01, 1.250000e+00, 0.000000e+00, -2.500000e-01], [-2.500000e-01, 5.000000e-01, 2.500000e-01, -1.000000e+00, 7.500000e-01]]]> : tensor<2x3x5xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xbf16>
  %c1 = stablehlo.constant dense<[1.750000e+00, 2.000000e+00, 1.750000e+00, 7.500000e-01, 7.500000e-01]> : tensor<5xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xbf16>
  %c2 = stablehlo.constant dense<[1.500000e+00, 1.500000e+00, 1.500000e+00, 1.750000e+00, 7.500000e-01]> : tensor<5xbf16>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xbf16>
  %c3 = stablehlo.constant dense<[2.000000e+00, 2.500000e-01, 2.500000e-01, 2.000000e+00, 2.000000e+00]> : tensor<5xbf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<5xbf16>
  %c4 = stablehlo.constant dense<[7.500000e-01, 5.000000e-01, 7.500000e-01, 2.500000e-01, 2.000000e+00]> : tensor<5xbf16>
  %4 = stablehlo.optimization_barrier %c4 : tensor<5xbf16>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>) -> tensor<2x3x5xbf16>
  check.expect_almost_eq_const %r, dense<[[[-3.710938e-01, -2.296875e+00, -8.398438e-01, -1.773438e+00, -7.929688e-01], [-3.710938e-01, 3.718750e+00, 1.500000e+00, -2.531250e+00, -9.218750e-01], [-3.171875e+00, 2.353516e-01, 1.734375e+00, -8.515625e-01, -6.640625e-01]], [[-4.343750e+00, 2.453125e+00, 2.437500e+00, -2.531250e+00, -9.218750e-01], [-2.468750e+00, -8.105469e-02, 3.375000e+00, -6.992188e-01, -4.082031e-01], [-2.703125e+00, 2.125000e+00, 1.500000e+00, -1.921875e+00, 1.069336e-01]]]> : tensor<2x3x5xbf16>, tolerance = 4.000000e-02
  return
}

func.func @f16_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.000000e+00, -1.250000e+00, -1.000000e+00, -8.750000e-01, -1.000000e+00], [1.000000e+00, 1.125000e+00, 2.500000e-01, -1.500000e+00, -1.250000e+00], [-5.000000e-01, -2.500000e-01, 3.750000e-01, -1.250000e-01, -7.500000e-01]], [[-1.125000e+00, 6.250000e-01, 7.500000e-01, -1.500000e+00, -1.250000e+00], [-1.250000e-01, -3.750000e-01, 1.250000e+00, 0.000000e+00, -2.500000e-01], [-2.500000e-01, 5.000000e-01, 2.500000e-01, -1.000000e+00, 7.500000e-01]]]> : tensor<2x3x5xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf16>
  %c1 = stablehlo.constant dense<[1.750000e+00, 2.000000e+00, 1.750000e+00, 7.500000e-01, 7.500000e-01]> : tensor<5xf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf16>
  %c2 = stablehlo.constant dense<[1.500000e+00, 1.500000e+00, 1.500000e+00, 1.750000e+00, 7.500000e-01]> : tensor<5xf16>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf16>
  %c3 = stablehlo.constant dense<[2.000000e+00, 2.500000e-01, 2.500000e-01, 2.000000e+00, 2.000000e+00]> : tensor<5xf16>
  %3 = stablehlo.optimization_barrier %c3 : tensor<5xf16>
  %c4 = stablehlo.constant dense<[7.500000e-01, 5.000000e-01, 7.500000e-01, 2.500000e-01, 2.000000e+00]> : tensor<5xf16>
  %4 = stablehlo.optimization_barrier %c4 : tensor<5xf16>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>) -> tensor<2x3x5xf16>
  check.expect_almost_eq_const %r, dense<[[[-3.708496e-01, -2.294922e+00, -8.383789e-01, -1.771484e+00, -7.934570e-01], [-3.708496e-01, 3.712891e+00, 1.500000e+00, -2.537109e+00, -9.218750e-01], [-3.177734e+00, 2.351074e-01, 1.733398e+00, -8.525391e-01, -6.650391e-01]], [[-4.347656e+00, 2.449219e+00, 2.435547e+00, -2.537109e+00, -9.218750e-01], [-2.474609e+00, -8.111572e-02, 3.371094e+00, -6.997070e-01, -4.077148e-01], [-2.708984e+00, 2.132812e+00, 1.500000e+00, -1.923828e+00, 1.068726e-01]]]> : tensor<2x3x5xf16>, tolerance = 8.000000e-03
  return
}

func.func @f32_2x3x5_feature_0() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %c2 = stablehlo.constant dense<[1.75e+00, 7.5e-01]> : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xf32>
  %c3 = stablehlo.constant dense<[7.5e-01, 1.5e+00]> : tensor<2xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xf32>
  %c4 = stablehlo.constant dense<[1.5e+00, 1.5e+00]> : tensor<2xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2xf32>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 0 : i64} : (tensor<2x3x5xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3x5xf32>
  check.expect_almost_eq_const %r, dense<[[[2.09320330619812e+00, -9.95625913143158e-01, -6.524226665496826e-01, -4.8082104325294495e-01, -6.524226665496826e-01], [2.09320330619812e+00, 2.2648048400878906e+00, 1.0635935068130493e+00, -1.3388291597366333e+00, -9.95625913143158e-01], [3.398381918668747e-02, 3.77187043428421e-01, 1.2351951599121094e+00, 5.487886667251587e-01, -3.092194199562073e-01]], [[-3.368438720703125e+00, -6.228129267692566e-01, -4.266968071460724e-01, -3.956787347793579e+00, -3.5645549297332764e+00], [-1.7995097637176514e+00, -2.191741943359375e+00, 3.577677309513092e-01, -1.6033936738967896e+00, -1.9956258535385132e+00], [-1.9956258535385132e+00, -8.189290761947632e-01, -1.2111613750457764e+00, -3.1723227500915527e+00, -4.266968071460724e-01]]]> : tensor<2x3x5xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_2x3x5_feature_1() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %c2 = stablehlo.constant dense<[7.5e-01, 7.5e-01, 1.5e+00]> : tensor<3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xf32>
  %c3 = stablehlo.constant dense<[1.5e+00, 1.5e+00, 1.75e+00]> : tensor<3xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<3xf32>
  %c4 = stablehlo.constant dense<[7.5e-01, 2.0e+00, 2.5e-01]> : tensor<3xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<3xf32>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x5xf32>
  check.expect_almost_eq_const %r, dense<[[[-1.8541434407234192e-01, -4.394778728485107e+00, -3.9270718097686768e+00, -3.693218231201172e+00, -3.9270718097686768e+00], [6.400565803050995e-02, 2.3550423979759216e-01, -9.649858474731445e-01, -3.3659660816192627e+00, -3.0229687690734863e+00], [-4.929910659790039e+00, -4.215476036071777e+00, -2.429389715194702e+00, -3.8582587242126465e+00, -5.644345283508301e+00]], [[-4.160925388336182e+00, -8.86975109577179e-01, -6.531215310096741e-01, -4.862485885620117e+00, -4.394778728485107e+00], [-1.47948157787323e+00, -1.8224787712097168e+00, 4.0700283646583557e-01, -1.3079830408096313e+00, -1.6509802341461182e+00], [-4.215476036071777e+00, -2.0721726417541504e+00, -2.786607027053833e+00, -6.358779430389404e+00, -1.3577380180358887e+00]]]> : tensor<2x3x5xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_7x4_feature_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01], [-1.0e+00, 1.0e+00, 1.125e+00, 2.5e-01], [-1.5e+00, -1.25e+00, -5.0e-01, -2.5e-01], [3.75e-01, -1.25e-01, -7.5e-01, -1.125e+00], [6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00], [-2.5e-01, -2.5e-01, 5.0e-01, 2.5e-01]]> : tensor<7x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<7x4xf32>
  %c1 = stablehlo.constant dense<[5.0e-01, 1.5e+00, 1.75e+00, 2.0e+00]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  %c2 = stablehlo.constant dense<[1.75e+00, 7.5e-01, 7.5e-01, 1.5e+00]> : tensor<4xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xf32>
  %c3 = stablehlo.constant dense<[1.5e+00, 1.5e+00, 1.75e+00, 7.5e-01]> : tensor<4xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<4xf32>
  %c4 = stablehlo.constant dense<[2.0e+00, 2.5e-01, 2.5e-01, 2.0e+00]> : tensor<4xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<4xf32>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<7x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<7x4xf32>
  check.expect_almost_eq_const %r, dense<[[1.5785014629364014e+00, -5.9860968589782715e+00, -7.108779430389404e+00, -7.2948157787323e-01], [8.925070762634277e-01, -4.7474488615989685e-01, -1.0360863208770752e+00, 8.140056729316711e-01], [7.210084795951843e-01, -5.9860968589782715e+00, -5.679910659790039e+00, 1.280113160610199e-01], [1.3641282320022583e+00, -3.2304208278656006e+00, -6.394345283508301e+00, -1.0724787712097168e+00], [1.4498775005340576e+00, -1.087117314338684e+00, -8.53764820098877e+00, -1.2439773082733154e+00], [1.1926295757293701e+00, -3.8427932262420654e+00, -6.788690090179443e-01, 4.710084795951843e-01], [1.1497550010681152e+00, -3.536607027053833e+00, -2.8221726417541504e+00, 8.140056729316711e-01]]> : tensor<7x4xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_4x1_feature_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00], [-1.25e+00], [-1.0e+00], [-8.75e-01]]> : tensor<4x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x1xf32>
  %c1 = stablehlo.constant dense<[5.0e-01]> : tensor<1xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1xf32>
  %c2 = stablehlo.constant dense<[1.75e+00]> : tensor<1xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<1xf32>
  %c3 = stablehlo.constant dense<[1.75e+00]> : tensor<1xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<1xf32>
  %c4 = stablehlo.constant dense<[1.25e+00]> : tensor<1xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<1xf32>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x1xf32>
  check.expect_almost_eq_const %r, dense<[[1.4301989078521729e+00], [4.707956910133362e-01], [5.77396035194397e-01], [6.306962370872498e-01]]> : tensor<4x1xf32>, tolerance = 8.000000e-06
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %c2 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xf32>
  %c3 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xf32>
  %c4 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2xf32>
  %r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {epsilon = 5.000000e-01 : f32, feature_index = 1 : i64} : (tensor<0x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<0x2xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<0x2xf32>, tolerance = 8.000000e-06
  return
}
