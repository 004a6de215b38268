// batch_norm_training: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00]], [[3.0e+00, 4.0e+00], [1.0e+00, 2.0e+00]]]> : tensor<2x2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %c2 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 0.000000e+00 : f32, feature_index = 2 : i64} : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %r0, dense<[[[0.0e+00, 0.0e+00], [2.0e+00, 2.0e+00]], [[2.0e+00, 2.0e+00], [0.0e+00, 0.0e+00]]]> : tensor<2x2x2xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r1, dense<[2.0e+00, 3.0e+00]> : tensor<2xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r2, dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00, 7.5e-01, 7.5e-01]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  %c2 = stablehlo.constant dense<[1.5e+00, 1.5e+00, 1.5e+00, 1.75e+00, 7.5e-01]> : tensor<5xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>)
  check.expect_almost_eq_const %r0, dense<[[[3.556748867034912e+00, -1.565883994102478e+00, -1.4840924739837646e+00, 1.7047733068466187e+00, 3.9275211095809937e-01], [3.556748867034912e+00, 3.9819061756134033e+00, 1.3579003810882568e+00, 1.0263727903366089e+00, 1.5458686649799347e-01], [4.7162556648254395e-01, 7.700276374816895e-01, 1.6420996189117432e+00, 2.5188539028167725e+00, 6.309173703193665e-01]], [[-8.138424754142761e-01, 2.813950300216675e+00, 2.4946975708007812e+00, 1.0263727903366089e+00, 1.5458686649799347e-01], [1.2429064512252808e+00, 4.780386686325073e-01, 3.6314945220947266e+00, 2.654534101486206e+00, 1.1072478294372559e+00], [9.85812783241272e-01, 2.5219614505767822e+00, 1.3579003810882568e+00, 1.5690932273864746e+00, 2.059908866882324e+00]]]> : tensor<2x3x5xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r1, dense<[0.0e+00, 6.25e-02, 3.125e-01, -8.333333134651184e-01, -6.25e-01]> : tensor<5xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r2, dense<[5.989583134651184e-01, 6.080729365348816e-01, 4.674479067325592e-01, 3.524305522441864e-01, 4.947916567325592e-01]> : tensor<5xf32>, tolerance = 8.000000e-06
  return
}

func.func @f64_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf64>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00, 7.5e-01, 7.5e-01]> : tensor<5xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf64>
  %c2 = stablehlo.constant dense<[1.5e+00, 1.5e+00, 1.5e+00, 1.75e+00, 7.5e-01]> : tensor<5xf64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf64>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf64>, tensor<5xf64>, tensor<5xf64>) -> (tensor<2x3x5xf64>, tensor<5xf64>, tensor<5xf64>)
  check.expect_almost_eq_const %r0, dense<[[[3.5567488488724455e+00, -1.565884009582415e+00, -1.4840924403087268e+00, 1.7047732983133355e+00, 3.927521162831499e-01], [3.5567488488724455e+00, 3.9819061029952882e+00, 1.3579003599852988e+00, 1.0263727730133674e+00, 1.545868604719165e-01], [4.7162557556377727e-01, 7.700276167660917e-01, 1.6420996400147012e+00, 2.5188539286732974e+00, 6.309173720943833e-01]], [[-8.138424549815011e-01, 2.813950289821035e+00, 2.494697480102909e+00, 1.0263727730133674e+00, 1.545868604719165e-01], [1.2429063938909444e+00, 4.7803866347252844e-01, 3.631494600220519e+00, 2.6545340337332908e+00, 1.10724788371685e+00], [9.858127877818886e-01, 2.521961336527472e+00, 1.3579003599852988e+00, 1.5690931932533418e+00, 2.059908906961784e+00]]]> : tensor<2x3x5xf64>, tolerance = 4.000000e-13
  check.expect_almost_eq_const %r1, dense<[0.0e+00, 6.25e-02, 3.125e-01, -8.333333333333334e-01, -6.25e-01]> : tensor<5xf64>, tolerance = 4.000000e-13
  check.expect_almost_eq_const %r2, dense<[5.989583333333334e-01, 6.080729166666666e-01, 4.674479166666667e-01, 3.524305555555556e-01, 4.947916666666667e-01]> : tensor<5xf64>, tolerance = 4.000000e-13
  return
}

func.func @bf16_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.000000e+00, -1.250000e+00, -1.000000e+00, -8.750000e-01, -1.000000e+00], [1.000000e+00, 1.125000e+00, 2.500000e-01, -1.500000e+00, -1.250000e+00], [-5.000000e-01, -2.500000e-01, 3.750000e-01, -1.250000e-01, -7.500000e-01]], [[-1.125000e+00, 6.250000e-01, 7.500000e-01, -1.500000e+00, -1.250000e+00], [-1.250000e-01, -3.750000e-01, 1.250000e+00, 0.000000e+00, -2.500000e-01], [-2.500000e-01, 5.000000e-01, 2.500000e-01, -1.000000e+00, 7.500000e-01]]]> : tensor<2x3x5xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xbf16>
  %c1 = stablehlo.constant dense<[1.750000e+00, 2.000000e+00, 1.750000e+00, 7.500000e-01, 7.500000e-01]> : tensor<5xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xbf16>
  %c2 = stablehlo.constant dense<[1.500000e+00, 1.500000e+00, 1.500000e+00, 1.750000e+00, 7.500000e-01]> : tensor<5xbf16>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xbf16>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xbf16>, tensor<5xbf16>, tensor<5xbf16>) -> (tensor<2x3x5xbf16>, tensor<5xbf16>, tensor<5xbf16>)
  check.expect_almost_eq_const %r0, dense<[[[3.562500e+00, -1.562500e+00, -1.484375e+00, 1.703125e+00, 3.925781e-01], [3.562500e+00, 3.984375e+00, 1.359375e+00, 1.023438e+00, 1.542969e-01], [4.707031e-01, 7.695312e-01, 1.640625e+00, 2.515625e+00, 6.328125e-01]], [[-8.125000e-01, 2.812500e+00, 2.500000e+00, 1.023438e+00, 1.542969e-01], [1.242188e+00, 4.785156e-01, 3.625000e+00, 2.656250e+00, 1.109375e+00], [9.843750e-01, 2.515625e+00, 1.359375e+00, 1.570312e+00, 2.062500e+00]]]> : tensor<2x3x5xbf16>, tolerance = 4.000000e-02
  check.expect_almost_eq_const %r1, dense<[0.000000e+00, 6.250000e-02, 3.125000e-01, -8.320312e-01, -6.250000e-01]> : tensor<5xbf16>, tolerance = 4.000000e-02
  check.expect_almost_eq_const %r2, dense<[5.976562e-01, 6.093750e-01, 4.667969e-01, 3.515625e-01, 4.941406e-01]> : tensor<5xbf16>, tolerance = 4.000000e-02
  return
}

func.func @f16_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.000000e+00, -1.250000e+00, -1.000000e+00, -8.750000e-01, -1.000000e+00], [1.000000e+00, 1.125000e+00, 2.500000e-01, -1.500000e+00, -1.250000e+00], [-5.000000e-01, -2.500000e-01, 3.750000e-01, -1.250000e-01, -7.500000e-01]], [[-1.125000e+00, 6.250000e-01, 7.500000e-01, -1.500000e+00, -1.250000e+00], [-1.250000e-01, -3.750000e-01, 1.250000e+00, 0.000000e+00, -2.500000e-01], [-2.500000e-01, 5.000000e-01, 2.500000e-01, -1.000000e+00, 7.500000e-01]]]> : tensor<2x3x5xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf16>
  %c1 = stablehlo.constant dense<[1.750000e+00, 2.000000e+00, 1.750000e+00, 7.500000e-01, 7.500000e-01]> : tensor<5xf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf16>
  %c2 = stablehlo.constant dense<[1.500000e+00, 1.500000e+00, 1.500000e+00, 1.750000e+00, 7.500000e-01]> : tensor<5xf16>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf16>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf16>, tensor<5xf16>, tensor<5xf16>) -> (tensor<2x3x5xf16>, tensor<5xf16>, tensor<5xf16>)
  check.expect_almost_eq_const %r0, dense<[[[3.556641e+00, -1.565430e+00, -1.484375e+00, 1.705078e+00, 3.928223e-01], [3.556641e+00, 3.982422e+00, 1.357422e+00, 1.026367e+00, 1.545410e-01], [4.716797e-01, 7.700195e-01, 1.642578e+00, 2.519531e+00, 6.308594e-01]], [[-8.139648e-01, 2.814453e+00, 2.494141e+00, 1.026367e+00, 1.545410e-01], [1.243164e+00, 4.780273e-01, 3.630859e+00, 2.654297e+00, 1.107422e+00], [9.858398e-01, 2.521484e+00, 1.357422e+00, 1.569336e+00, 2.060547e+00]]]> : tensor<2x3x5xf16>, tolerance = 8.000000e-03
  check.expect_almost_eq_const %r1, dense<[0.000000e+00, 6.250000e-02, 3.125000e-01, -8.334961e-01, -6.250000e-01]> : tensor<5xf16>, tolerance = 8.000000e-03
  check.expect_almost_eq_const %r2, dense<[5.991211e-01, 6.079102e-01, 4.675293e-01, 3.525391e-01, 4.948730e-01]> : tensor<5xf16>, tolerance = 8.000000e-03
  return
}

func.func @f32_2x3x5_feature_0() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %c2 = stablehlo.constant dense<[1.75e+00, 7.5e-01]> : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 0 : i64} : (tensor<2x3x5xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3x5xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %r0, dense<[[[4.237460613250732e+00, -1.326311007142067e-02, 4.5903950929641724e-01, 6.951908469200134e-01, 4.5903950929641724e-01], [4.237460613250732e+00, 4.473611831665039e+00, 2.8205525875091553e+00, -4.85565721988678e-01, -1.326311007142067e-02], [1.4036448001861572e+00, 1.87594735622406e+00, 3.056703805923462e+00, 2.1120986938476562e+00, 9.313421249389648e-01]], [[-1.5611644983291626e+00, 2.4499473571777344e+00, 2.7364554405212402e+00, -2.4206883907318115e+00, -1.847672462463379e+00], [7.30899453163147e-01, 1.5788348019123077e-01, 3.8824872970581055e+00, 1.0174074172973633e+00, 4.4439148902893066e-01], [4.4439148902893066e-01, 2.1634395122528076e+00, 1.5904234647750854e+00, -1.2746565341949463e+00, 2.7364554405212402e+00]]]> : tensor<2x3x5xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r1, dense<[-3.166666626930237e-01, -1.1666666716337204e-01]> : tensor<2xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r2, dense<[7.330555319786072e-01, 6.36388897895813e-01]> : tensor<2xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_2x3x5_feature_1() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %c2 = stablehlo.constant dense<[7.5e-01, 7.5e-01, 1.5e+00]> : tensor<3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_almost_eq_const %r0, dense<[[[3.5635194778442383e+00, -4.879485070705414e-01, -3.7785422056913376e-02, 1.8729612231254578e-01, -3.7785422056913376e-02], [2.8124101161956787e+00, 3.073474645614624e+00, 1.2460227012634277e+00, -2.408881425857544e+00, -1.8867521286010742e+00], [4.092748463153839e-01, 1.0909780263900757e+00, 2.795236110687256e+00, 1.4318296909332275e+00, -2.7242836356163025e-01]], [[-2.628669738769531e-01, 2.888274669647217e+00, 3.113356351852417e+00, -9.381116032600403e-01, -4.879485070705414e-01], [4.6282896399497986e-01, -5.930017679929733e-02, 3.3345391750335693e+00, 7.238935232162476e-01, 2.0176438987255096e-01], [1.0909780263900757e+00, 3.136087656021118e+00, 2.4543845653533936e+00, -9.54131543636322e-01, 3.817790985107422e+00]]]> : tensor<2x3x5xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r1, dense<[-5.625e-01, 1.2500000186264515e-02, -1.0000000149011612e-01]> : tensor<3xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r2, dense<[8.19531261920929e-01, 7.920312285423279e-01, 2.8687500953674316e-01]> : tensor<3xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_7x4_feature_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01], [-1.0e+00, 1.0e+00, 1.125e+00, 2.5e-01], [-1.5e+00, -1.25e+00, -5.0e-01, -2.5e-01], [3.75e-01, -1.25e-01, -7.5e-01, -1.125e+00], [6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00], [-2.5e-01, -2.5e-01, 5.0e-01, 2.5e-01]]> : tensor<7x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<7x4xf32>
  %c1 = stablehlo.constant dense<[5.0e-01, 1.5e+00, 1.75e+00, 2.0e+00]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  %c2 = stablehlo.constant dense<[1.75e+00, 7.5e-01, 7.5e-01, 1.5e+00]> : tensor<4xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<7x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<7x4xf32>, tensor<4xf32>, tensor<4xf32>)
  check.expect_almost_eq_const %r0, dense<[[2.377495050430298e+00, -1.0091019868850708e+00, -6.908203959465027e-01, 2.1328747272491455e-01], [1.2619483470916748e+00, 2.8123955726623535e+00, 2.808314800262451e+00, 3.455803155899048e+00], [9.83061671257019e-01, -1.0091019868850708e+00, 1.3250553607940674e-01, 2.0146849155426025e+00], [2.028886556625366e+00, 9.016467332839966e-01, -2.79157429933548e-01, -5.072715282440186e-01], [2.168329954147339e+00, 2.387784719467163e+00, -1.514146327972412e+00, -8.675510287284851e-01], [1.75e+00, 4.7703588008880615e-01, 3.014146327972412e+00, 2.735244035720825e+00], [1.6802783012390137e+00, 6.893413066864014e-01, 1.7791574001312256e+00, 3.455803155899048e+00]]> : tensor<7x4xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r1, dense<[-1.25e-01, -2.142857164144516e-01, -1.25e-01, -4.285714328289032e-01]> : tensor<4xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r2, dense<[6.785714030265808e-01, 6.549744606018066e-01, 1.0044642686843872e+00, 3.565050959587097e-01]> : tensor<4xf32>, tolerance = 8.000000e-06
  return
}

func.func @f32_4x1_feature_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00], [-1.25e+00], [-1.0e+00], [-8.75e-01]]> : tensor<4x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x1xf32>
  %c1 = stablehlo.constant dense<[5.0e-01]> : tensor<1xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1xf32>
  %c2 = stablehlo.constant dense<[1.75e+00]> : tensor<1xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<1xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
  check.expect_almost_eq_const %r0, dense<[[2.546143054962158e+00], [1.3763002157211304e+00], [1.5062828063964844e+00], [1.5712740421295166e+00]]> : tensor<4x1xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r1, dense<[-5.3125e-01]> : tensor<1xf32>, tolerance = 8.000000e-06
  check.expect_almost_eq_const %r2, dense<[7.998046875e-01]> : tensor<1xf32>, tolerance = 8.000000e-06
  return
}
