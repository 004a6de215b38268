// chlo.acos: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 9.994507e-04, 8.750000e-01, 1.500000e+00, 0x7FC0]> : tensor<10xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xbf16>
  %r = chlo.acos %0 : tensor<10xbf16> -> tensor<10xbf16>
  check.expect_almost_eq_const %r, dense<[1.570312e+00, 1.570312e+00, 0.000000e+00, 3.140625e+00, 1.046875e+00, 1.820312e+00, 1.570312e+00, 5.039062e-01, 0xFFC0, 0x7FC0]> : tensor<10xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 1.000404e-03, 8.750000e-01, 1.500000e+00, 0x7E00]> : tensor<10xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf16>
  %r = chlo.acos %0 : tensor<10xf16> -> tensor<10xf16>
  check.expect_almost_eq_const %r, dense<[1.570312e+00, 1.570312e+00, 0.000000e+00, 3.140625e+00, 1.046875e+00, 1.823242e+00, 1.569336e+00, 5.053711e-01, 0xFE00, 0x7E00]> : tensor<10xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0000000474974513e-03, 8.75e-01, 1.5e+00, 0x7FC00000]> : tensor<10xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf32>
  %r = chlo.acos %0 : tensor<10xf32> -> tensor<10xf32>
  check.expect_almost_eq_const %r, dense<[1.5707963705062866e+00, 1.5707963705062866e+00, 0.0e+00, 3.1415927410125732e+00, 1.0471975803375244e+00, 1.8234765529632568e+00, 1.5697963237762451e+00, 5.0536048412323e-01, 0xFFC00000, 0xFFC00000]> : tensor<10xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0e-03, 8.75e-01, 1.5e+00, 0x7FF8000000000000]> : tensor<10xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf64>
  %r = chlo.acos %0 : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %r, dense<[1.5707963267948966e+00, 1.5707963267948966e+00, 0.0e+00, 3.141592653589793e+00, 1.0471975511965976e+00, 1.8234765819369754e+00, 1.56979632662823e+00, 5.053605102841573e-01, 0xFFF8000000000000, 0xFFF8000000000000]> : tensor<10xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.acos %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(1.0691875219345093e+00, -2.813960611820221e-01), (2.6342363357543945e+00, -1.4693516492843628e+00), (2.777542471885681e-01, 1.3618009090423584e+00), (1.8165283203125e+00, 6.703367233276367e-01), (0.0e+00, -1.7627471685409546e+00), (3.1415927410125732e+00, -1.7627471685409546e+00), (1.5707963705062866e+00, -1.2467674911022186e-01), (1.2207611799240112e+00, 2.155508041381836e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.acos %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.0691874735193958e+00, -2.8139605624529274e-01), (2.6342363503726487e+00, -1.4693517443681852e+00), (2.7775425655771396e-01, 1.3618009008578458e+00), (1.8165283328959763e+00, 6.703367429877897e-01), (0.0e+00, -1.762747174039086e+00), (3.141592653589793e+00, -1.762747174039086e+00), (1.5707963267948966e+00, -1.2467674692144273e-01), (1.220761155775237e+00, 2.15550810013476e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
