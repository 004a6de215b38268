// chlo.asin: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 9.994507e-04, 8.750000e-01, 1.500000e+00, 0x7FC0]> : tensor<10xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xbf16>
  %r = chlo.asin %0 : tensor<10xbf16> -> tensor<10xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.570312e+00, -1.570312e+00, 5.234375e-01, -2.519531e-01, 9.994507e-04, 1.062500e+00, 0xFFC0, 0x7FC0]> : tensor<10xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 1.000404e-03, 8.750000e-01, 1.500000e+00, 0x7E00]> : tensor<10xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf16>
  %r = chlo.asin %0 : tensor<10xf16> -> tensor<10xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.570312e+00, -1.570312e+00, 5.234375e-01, -2.526855e-01, 1.000404e-03, 1.065430e+00, 0xFE00, 0x7E00]> : tensor<10xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0000000474974513e-03, 8.75e-01, 1.5e+00, 0x7FC00000]> : tensor<10xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf32>
  %r = chlo.asin %0 : tensor<10xf32> -> tensor<10xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.5707963705062866e+00, -1.5707963705062866e+00, 5.235987901687622e-01, -2.52680242061615e-01, 1.0000001639127731e-03, 1.065435767173767e+00, 0xFFC00000, 0x7FC00000]> : tensor<10xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0e-03, 8.75e-01, 1.5e+00, 0x7FF8000000000000]> : tensor<10xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf64>
  %r = chlo.asin %0 : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.5707963267948966e+00, -1.5707963267948966e+00, 5.235987755982989e-01, -2.5268025514207865e-01, 1.0000001666667416e-03, 1.0654358165107394e+00, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<10xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.asin %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(5.016088485717773e-01, 2.813960611820221e-01), (-1.063439965248108e+00, 1.4693516492843628e+00), (1.2930420637130737e+00, -1.3618009090423584e+00), (-2.4573203921318054e-01, -6.703367233276367e-01), (1.5707963705062866e+00, 1.7627471685409546e+00), (-1.5707963705062866e+00, 1.7627471685409546e+00), (0.0e+00, 1.2467674911022186e-01), (3.50035160779953e-01, -2.155508041381836e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.asin %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(5.016088532755008e-01, 2.8139605624529274e-01), (-1.0634400235777521e+00, 1.4693517443681852e+00), (1.2930420702371825e+00, -1.3618009008578458e+00), (-2.4573200610107973e-01, -6.703367429877897e-01), (1.5707963267948966e+00, 1.762747174039086e+00), (-1.5707963267948966e+00, 1.762747174039086e+00), (0.0e+00, 1.2467674692144273e-01), (3.500351710196597e-01, -2.15550810013476e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
