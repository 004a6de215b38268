// exponential: numpy's results are the expected ones. Made by generate.py.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.exponential %0 : tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 2.718750e+00, 3.671875e-01, 1.648438e+00, 8.203125e-02, 2.575000e+01, 1.000000e+00, 0.000000e+00, 0x7F80, 0.000000e+00, 0x7FC0]> : tensor<12xbf16>, tolerance = 1.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.exponential %0 : tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 2.718750e+00, 3.679199e-01, 1.648438e+00, 8.209229e-02, 2.579688e+01, 1.000977e+00, 0.000000e+00, 0x7C00, 0.000000e+00, 0x7E00]> : tensor<12xf16>, tolerance = 2.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.exponential %0 : tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 2.7182817459106445e+00, 3.678794503211975e-01, 1.6487212181091309e+00, 8.208499848842621e-02, 2.5790340423583984e+01, 1.0010005235671997e+00, 3.783505853677006e-44, 0x7F800000, 0.0e+00, 0x7FC00000]> : tensor<12xf32>, tolerance = 2.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.exponential %0 : tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 2.718281828459045e+00, 3.6787944117144233e-01, 1.6487212707001282e+00, 8.20849986238988e-02, 2.5790339917193062e+01, 1.0010005001667084e+00, 3.720075976020836e-44, 0x7FF0000000000000, 0.0e+00, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 1.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f32>>
  %r = stablehlo.exponential %0 : tensor<12xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(9.689124226570129e-01, 2.4740396440029144e-01), (7.073719799518585e-02, -9.974949955940247e-01), (2.633776903152466e+00, 6.725136637687683e-01), (1.9228363037109375e-01, -2.711472511291504e+00), (3.5644295811653137e-01, 9.101483225822449e-02), (2.6022762060165405e-02, -3.669579029083252e-01), (1.5974664688110352e+00, 4.079001545906067e-01), (1.1662591993808746e-01, -1.644591212272644e+00), (7.95331746339798e-02, 2.0308153703808784e-02), (5.806462839245796e-03, -8.18793773651123e-02), (2.498858070373535e+01, 6.380632400512695e+00), (1.8243364095687866e+00, -2.572573471069336e+01)]> : tensor<12xcomplex<f32>>, tolerance = 4.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f64>>
  %r = stablehlo.exponential %0 : tensor<12xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(9.689124217106447e-01, 2.4740395925452294e-01), (7.07372016677029e-02, -9.974949866040544e-01), (2.6337770293042926e+00, 6.725136867303917e-01), (1.9228364988935967e-01, -2.7114724960648e+00), (3.5644296024298083e-01, 9.101483027415619e-02), (2.6022762219546164e-02, -3.669578982432149e-01), (1.5974665191199127e+00, 4.079001700783598e-01), (1.1662592901934636e-01, -1.644591201830844e+00), (7.953317480279673e-02, 2.030815365495463e-02), (5.806463101551845e-03, -8.187937460273977e-02), (2.4988580705908237e+01, 6.380632206033529e+00), (1.8243364758010938e+00, -2.5725734770214505e+01)]> : tensor<12xcomplex<f64>>, tolerance = 1.000000e-12
  return
}
