// chlo._asin_acos_kernel: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo._asin_acos_kernel %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(9.117543697357178e-01, 2.813960611820221e-01), (1.111785888671875e+00, 1.4693516492843628e+00), (5.702489018440247e-01, 1.3618009090423584e+00), (1.196169376373291e+00, 6.703367233276367e-01), (0.0e+00, 1.7627471685409546e+00), (0.0e+00, 1.7627471685409546e+00), (1.0077823400497437e+00, 1.2467674911022186e-01), (4.108819961547852e+00, 2.155508041381836e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo._asin_acos_kernel %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(9.117543273261622e-01, 2.8139605624529274e-01), (1.1117859405028423e+00, 1.4693517443681852e+00), (5.702489049458407e-01, 1.3618009008578458e+00), (1.1961694928494617e+00, 6.703367429877897e-01), (0.0e+00, 1.762747174039086e+00), (0.0e+00, 1.762747174039086e+00), (1.0077822185373186e+00, 1.2467674692144273e-01), (4.108819591428079e+00, 2.15550810013476e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
