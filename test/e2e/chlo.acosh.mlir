// chlo.acosh: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[1.000000e+00, 1.500000e+00, 2.000000e+00, 3.000000e+01, 0x7F80, 5.000000e-01, 0x7FC0]> : tensor<7xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<7xbf16>
  %r = chlo.acosh %0 : tensor<7xbf16> -> tensor<7xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 9.609375e-01, 1.320312e+00, 4.093750e+00, 0x7F80, 0xFFC0, 0x7FC0]> : tensor<7xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[1.000000e+00, 1.500000e+00, 2.000000e+00, 3.000000e+01, 0x7C00, 5.000000e-01, 0x7E00]> : tensor<7xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<7xf16>
  %r = chlo.acosh %0 : tensor<7xf16> -> tensor<7xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 9.624023e-01, 1.317383e+00, 4.093750e+00, 0x7C00, 0xFE00, 0x7E00]> : tensor<7xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[1.0e+00, 1.5e+00, 2.0e+00, 3.0e+01, 0x7F800000, 5.0e-01, 0x7FC00000]> : tensor<7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<7xf32>
  %r = chlo.acosh %0 : tensor<7xf32> -> tensor<7xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 9.624236226081848e-01, 1.316957950592041e+00, 4.094066619873047e+00, 0x7F800000, 0xFFC00000, 0x7FC00000]> : tensor<7xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[1.0e+00, 1.5e+00, 2.0e+00, 3.0e+01, 0x7FF0000000000000, 5.0e-01, 0x7FF8000000000000]> : tensor<7xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<7xf64>
  %r = chlo.acosh %0 : tensor<7xf64> -> tensor<7xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 9.624236501192069e-01, 1.3169578969248168e+00, 4.0940666686320855e+00, 0x7FF0000000000000, 0xFFF8000000000000, 0x7FF8000000000000]> : tensor<7xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.acosh %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(2.813960611820221e-01, 1.0691875219345093e+00), (1.4693516492843628e+00, 2.6342363357543945e+00), (1.3618009090423584e+00, -2.777542471885681e-01), (6.703367233276367e-01, -1.8165283203125e+00), (1.7627471685409546e+00, 0.0e+00), (1.7627471685409546e+00, 3.1415927410125732e+00), (1.2467674911022186e-01, 1.5707963705062866e+00), (2.155508041381836e+00, -1.2207611799240112e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.acosh %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(2.8139605624529274e-01, 1.0691874735193958e+00), (1.4693517443681852e+00, 2.6342363503726487e+00), (1.3618009008578458e+00, -2.7775425655771396e-01), (6.703367429877897e-01, -1.8165283328959763e+00), (1.762747174039086e+00, 0.0e+00), (1.762747174039086e+00, 3.141592653589793e+00), (1.2467674692144273e-01, 1.5707963267948966e+00), (2.15550810013476e+00, -1.220761155775237e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
