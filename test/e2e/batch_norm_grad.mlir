// batch_norm_grad: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00]], [[3.0e+00, 4.0e+00], [1.0e+00, 2.0e+00]]]> : tensor<2x2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %c2 = stablehlo.constant dense<[2.0e+00, 3.0e+00]> : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xf32>
  %c3 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xf32>
  %c4 = stablehlo.constant dense<[[[1.0000000149011612e-01, 1.0000000149011612e-01], [1.0000000149011612e-01, 1.0000000149011612e-01]], [[1.0000000149011612e-01, 1.0000000149011612e-01], [1.0000000149011612e-01, 1.0000000149011612e-01]]]> : tensor<2x2x2xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2x2x2xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {epsilon = 0.000000e+00 : f32, feature_index = 2 : i64} : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %r0, dense<[[[0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]], [[0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]]]> : tensor<2x2x2xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r1, dense<[0.0e+00, 0.0e+00]> : tensor<2xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r2, dense<[4.000000059604645e-01, 4.000000059604645e-01]> : tensor<2xf32>, tolerance = 4.000000e-05
  return
}

func.func @f32_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00, 7.5e-01, 7.5e-01]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  %c2 = stablehlo.constant dense<[0.0e+00, 6.25e-02, 3.125e-01, -8.333333134651184e-01, -6.25e-01]> : tensor<5xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf32>
  %c3 = stablehlo.constant dense<[5.989583134651184e-01, 6.080729365348816e-01, 4.674479067325592e-01, 3.524305522441864e-01, 4.947916567325592e-01]> : tensor<5xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<5xf32>
  %c4 = stablehlo.constant dense<[[[2.0e+00, 3.0e+00, -4.0e+00, 3.0e+00, 0.0e+00], [0.0e+00, 1.0e+00, -2.0e+00, 4.0e+00, -4.0e+00], [-2.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, -3.0e+00]], [[-4.0e+00, -4.0e+00, -4.0e+00, -3.0e+00, 4.0e+00], [-3.0e+00, 1.0e+00, 2.0e+00, -2.0e+00, -2.0e+00], [-1.0e+00, -2.0e+00, 4.0e+00, -3.0e+00, 4.0e+00]]]> : tensor<2x3x5xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2x3x5xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<5xf32>, tensor<5xf32>)
  check.expect_almost_eq_const %r0, dense<[[[3.0086734294891357e+00, 3.5170061588287354e+00, -3.4978373050689697e+00, 3.5760340690612793e+00, 6.511184573173523e-01], [-1.1048243045806885e+00, 6.570702075958252e+00, -3.1980226039886475e+00, 4.0299458503723145e+00, -2.8312978744506836e+00], [5.524121522903442e-01, -2.5737900733947754e+00, 3.1980226039886475e+00, -7.894115522503853e-03, -2.535092353820801e+00]], [[-1.1566129922866821e+00, -6.735280990600586e+00, -9.444160461425781e+00, -3.5681400299072266e+00, 4.789990425109863e+00], [-2.9470202922821045e+00, 1.6914268732070923e+00, 2.498455286026001e+00, -9.670290946960449e-01, -2.238886833190918e+00], [1.6473720073699951e+00, -2.4700639247894287e+00, 1.044354248046875e+01, -3.0629167556762695e+00, 2.164168357849121e+00]]]> : tensor<2x3x5xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r1, dense<[9.54919147491455e+00, -7.153729438781738e+00, 6.901982307434082e+00, -3.8593451976776123e+00, 6.50985050201416e+00]> : tensor<5xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r2, dense<[-8.0e+00, -2.0e+00, -3.0e+00, -2.0e+00, -1.0e+00]> : tensor<5xf32>, tolerance = 4.000000e-05
  return
}

func.func @f64_2x3x5_feature_2() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf64>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00, 7.5e-01, 7.5e-01]> : tensor<5xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf64>
  %c2 = stablehlo.constant dense<[0.0e+00, 6.25e-02, 3.125e-01, -8.333333333333334e-01, -6.25e-01]> : tensor<5xf64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<5xf64>
  %c3 = stablehlo.constant dense<[5.989583333333334e-01, 6.080729166666666e-01, 4.674479166666667e-01, 3.524305555555556e-01, 4.947916666666667e-01]> : tensor<5xf64>
  %3 = stablehlo.optimization_barrier %c3 : tensor<5xf64>
  %c4 = stablehlo.constant dense<[[[2.0e+00, 3.0e+00, -4.0e+00, 3.0e+00, 0.0e+00], [0.0e+00, 1.0e+00, -2.0e+00, 4.0e+00, -4.0e+00], [-2.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, -3.0e+00]], [[-4.0e+00, -4.0e+00, -4.0e+00, -3.0e+00, 4.0e+00], [-3.0e+00, 1.0e+00, 2.0e+00, -2.0e+00, -2.0e+00], [-1.0e+00, -2.0e+00, 4.0e+00, -3.0e+00, 4.0e+00]]]> : tensor<2x3x5xf64>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2x3x5xf64>
  %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 2 : i64} : (tensor<2x3x5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<2x3x5xf64>) -> (tensor<2x3x5xf64>, tensor<5xf64>, tensor<5xf64>)
  check.expect_almost_eq_const %r0, dense<[[[3.0086733760484208e+00, 3.5170060780368573e+00, -3.4978372926695704e+00, 3.576034187181214e+00, 6.511184584643246e-01], [-1.1048243216964695e+00, 6.570702271629223e+00, -3.1980226675836065e+00, 4.02994581138192e+00, -2.8312978870108534e+00], [5.524121608482343e-01, -2.5737901341826945e+00, 3.1980226675836065e+00, -7.894115203490162e-03, -2.535092358775034e+00]], [[-1.1566129617759917e+00, -6.735281006700549e+00, -9.444160690207838e+00, -3.5681400719777234e+00, 4.7899902989486165e+00], [-2.9470202330966084e+00, 1.6914268318675096e+00, 2.498455209049693e+00, -9.670291124275909e-01, -2.238886830539214e+00], [1.647371979672414e+00, -2.4700640406503456e+00, 1.0443542773827717e+01, -3.0629166989543295e+00, 2.1641683189121603e+00]]]> : tensor<2x3x5xf64>, tolerance = 2.000000e-12
  check.expect_almost_eq_const %r1, dense<[9.549191084050639e+00, -7.153729355692301e+00, 6.901982514999778e+00, -3.8593452105953747e+00, 6.509850325507046e+00]> : tensor<5xf64>, tolerance = 2.000000e-12
  check.expect_almost_eq_const %r2, dense<[-8.0e+00, -2.0e+00, -3.0e+00, -2.0e+00, -1.0e+00]> : tensor<5xf64>, tolerance = 2.000000e-12
  return
}

func.func @f32_2x3x5_feature_0() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %c2 = stablehlo.constant dense<[-3.166666626930237e-01, -1.1666666716337204e-01]> : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xf32>
  %c3 = stablehlo.constant dense<[7.330555319786072e-01, 6.36388897895813e-01]> : tensor<2xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xf32>
  %c4 = stablehlo.constant dense<[[[2.0e+00, 3.0e+00, -4.0e+00, 3.0e+00, 0.0e+00], [0.0e+00, 1.0e+00, -2.0e+00, 4.0e+00, -4.0e+00], [-2.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, -3.0e+00]], [[-4.0e+00, -4.0e+00, -4.0e+00, -3.0e+00, 4.0e+00], [-3.0e+00, 1.0e+00, 2.0e+00, -2.0e+00, -2.0e+00], [-1.0e+00, -2.0e+00, 4.0e+00, -3.0e+00, 4.0e+00]]]> : tensor<2x3x5xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2x3x5xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 0 : i64} : (tensor<2x3x5xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %r0, dense<[[[3.7117574214935303e+00, 6.360566139221191e+00, -6.948307037353516e+00, 6.23396635055542e+00, 6.085349321365356e-01], [-6.666362285614014e-02, 1.7803469896316528e+00, -3.5918850898742676e+00, 8.334176063537598e+00, -6.863907337188721e+00], [-3.3386857509613037e+00, -1.5338749885559082e+00, 2.0335464477539062e+00, -1.5760749578475952e+00, -5.143496513366699e+00]], [[-5.920398712158203e+00, -8.10960865020752e+00, -8.26598072052002e+00, -3.1592183113098145e+00, 1.2572484970092773e+01], [-4.879311561584473e+00, 4.601688385009766e+00, 4.860914707183838e+00, -2.743619680404663e+00, -2.430875539779663e+00], [-1.388116031885147e-01, -3.369108200073242e+00, 1.0696019172668457e+01, -3.7847068309783936e+00, 1.0070530891418457e+01]]]> : tensor<2x3x5xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r1, dense<[2.4829623699188232e+00, 7.143599510192871e+00]> : tensor<2xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r2, dense<[-3.0e+00, -1.3e+01]> : tensor<2xf32>, tolerance = 4.000000e-05
  return
}

func.func @f32_2x3x5_feature_1() {
  %c0 = stablehlo.constant dense<[[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01, -1.0e+00], [1.0e+00, 1.125e+00, 2.5e-01, -1.5e+00, -1.25e+00], [-5.0e-01, -2.5e-01, 3.75e-01, -1.25e-01, -7.5e-01]], [[-1.125e+00, 6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00, -2.5e-01], [-2.5e-01, 5.0e-01, 2.5e-01, -1.0e+00, 7.5e-01]]]> : tensor<2x3x5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x5xf32>
  %c1 = stablehlo.constant dense<[1.75e+00, 2.0e+00, 1.75e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %c2 = stablehlo.constant dense<[-5.625e-01, 1.2500000186264515e-02, -1.0000000149011612e-01]> : tensor<3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xf32>
  %c3 = stablehlo.constant dense<[8.19531261920929e-01, 7.920312285423279e-01, 2.8687500953674316e-01]> : tensor<3xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<3xf32>
  %c4 = stablehlo.constant dense<[[[2.0e+00, 3.0e+00, -4.0e+00, 3.0e+00, 0.0e+00], [0.0e+00, 1.0e+00, -2.0e+00, 4.0e+00, -4.0e+00], [-2.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, -3.0e+00]], [[-4.0e+00, -4.0e+00, -4.0e+00, -3.0e+00, 4.0e+00], [-3.0e+00, 1.0e+00, 2.0e+00, -2.0e+00, -2.0e+00], [-1.0e+00, -2.0e+00, 4.0e+00, -3.0e+00, 4.0e+00]]]> : tensor<2x3x5xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2x3x5xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_almost_eq_const %r0, dense<[[[6.593157768249512e+00, 5.900599479675293e+00, -6.426943778991699e+00, 6.316134452819824e+00, 7.756656408309937e-01], [4.398375451564789e-01, 2.451845169067383e+00, -3.278141975402832e+00, 1.032408332824707e+01, -6.537067413330078e+00], [-1.7544288635253906e+00, -6.579108238220215e-01, 7.199779152870178e-01, -1.4730582237243652e+00, -2.8509469032287598e+00]], [[-6.565455436706543e+00, -4.626291751861572e+00, -4.48777961730957e+00, -5.180338382720947e+00, 7.701251983642578e+00], [-5.137131690979004e+00, 3.36995267868042e+00, 4.463852882385254e+00, -3.125123977661133e+00, -2.9721059799194336e+00], [-6.579108238220215e-01, -8.27560806274414e+00, 9.715563774108887e+00, -1.2206522226333618e+00, 6.454974174499512e+00]]]> : tensor<2x3x5xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r1, dense<[-5.980738162994385e+00, 2.8064441680908203e+00, 1.5348060607910156e+01]> : tensor<3xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r2, dense<[-7.0e+00, -5.0e+00, -4.0e+00]> : tensor<3xf32>, tolerance = 4.000000e-05
  return
}

func.func @f32_7x4_feature_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00, -1.25e+00, -1.0e+00, -8.75e-01], [-1.0e+00, 1.0e+00, 1.125e+00, 2.5e-01], [-1.5e+00, -1.25e+00, -5.0e-01, -2.5e-01], [3.75e-01, -1.25e-01, -7.5e-01, -1.125e+00], [6.25e-01, 7.5e-01, -1.5e+00, -1.25e+00], [-1.25e-01, -3.75e-01, 1.25e+00, 0.0e+00], [-2.5e-01, -2.5e-01, 5.0e-01, 2.5e-01]]> : tensor<7x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<7x4xf32>
  %c1 = stablehlo.constant dense<[5.0e-01, 1.5e+00, 1.75e+00, 2.0e+00]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  %c2 = stablehlo.constant dense<[-1.25e-01, -2.142857164144516e-01, -1.25e-01, -4.285714328289032e-01]> : tensor<4xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xf32>
  %c3 = stablehlo.constant dense<[6.785714030265808e-01, 6.549744606018066e-01, 1.0044642686843872e+00, 3.565050959587097e-01]> : tensor<4xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<4xf32>
  %c4 = stablehlo.constant dense<[[2.0e+00, 3.0e+00, -4.0e+00, 3.0e+00], [0.0e+00, 0.0e+00, 1.0e+00, -2.0e+00], [4.0e+00, -4.0e+00, -2.0e+00, -1.0e+00], [1.0e+00, -1.0e+00, -3.0e+00, -4.0e+00], [-4.0e+00, -4.0e+00, -3.0e+00, 4.0e+00], [-3.0e+00, 1.0e+00, 2.0e+00, -2.0e+00], [-2.0e+00, -1.0e+00, -2.0e+00, 4.0e+00]]> : tensor<7x4xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<7x4xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<7x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<4xf32>, tensor<4xf32>)
  check.expect_almost_eq_const %r0, dense<[[1.8884612321853638e+00, 5.573060512542725e+00, -1.629915714263916e+00, 7.243765354156494e+00], [-3.178422749042511e-01, 2.602520704269409e+00, 8.49824845790863e-01, -5.70720911026001e+00], [1.6405619382858276e+00, -6.316042900085449e+00, 3.0961889028549194e-01, -3.4739534854888916e+00], [9.898263812065125e-01, -1.583177000284195e-01, -6.601484417915344e-01, -1.3256377220153809e+01], [-1.6626957654953003e+00, -4.427340507507324e+00, 1.3705053329467773e+00, 9.639266014099121e+00], [-1.5139561891555786e+00, 3.00248122215271e+00, 2.158034563064575e+00, -6.031699180603027e+00], [-1.024355173110962e+00, -2.763615846633911e-01, -2.3979194164276123e+00, 1.1586207389831543e+01]]> : tensor<7x4xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r1, dense<[-6.135506629943848e+00, -3.4373257160186768e+00, 1.2232271194458008e+01, -2.187411308288574e+00]> : tensor<4xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r2, dense<[-2.0e+00, -6.0e+00, -1.1e+01, 2.0e+00]> : tensor<4xf32>, tolerance = 4.000000e-05
  return
}

func.func @f32_4x1_feature_1() {
  %c0 = stablehlo.constant dense<[[1.0e+00], [-1.25e+00], [-1.0e+00], [-8.75e-01]]> : tensor<4x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x1xf32>
  %c1 = stablehlo.constant dense<[5.0e-01]> : tensor<1xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1xf32>
  %c2 = stablehlo.constant dense<[-5.3125e-01]> : tensor<1xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<1xf32>
  %c3 = stablehlo.constant dense<[7.998046875e-01]> : tensor<1xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<1xf32>
  %c4 = stablehlo.constant dense<[[2.0e+00], [3.0e+00], [-4.0e+00], [3.0e+00]]> : tensor<4x1xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<4x1xf32>
  %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {epsilon = 1.250000e-01 : f32, feature_index = 1 : i64} : (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<1xf32>, tensor<1xf32>)
  check.expect_almost_eq_const %r0, dense<[[1.43296480178833e-01], [1.2166475057601929e+00], [-2.4843547344207764e+00], [1.1244107484817505e+00]]> : tensor<4x1xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r1, dense<[1.8197554349899292e+00]> : tensor<1xf32>, tolerance = 4.000000e-05
  check.expect_almost_eq_const %r2, dense<[4.0e+00]> : tensor<1xf32>, tolerance = 4.000000e-05
  return
}
