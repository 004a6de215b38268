// chlo.sinh: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -3.000000e+01, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = chlo.sinh %0 : tensor<12xbf16> -> tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.171875e+00, -1.171875e+00, 5.195312e-01, -6.062500e+00, 1.287500e+01, 9.994507e-04, -5.360119e+12, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -3.000000e+01, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = chlo.sinh %0 : tensor<12xf16> -> tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.174805e+00, -1.174805e+00, 5.209961e-01, -6.050781e+00, 1.287500e+01, 1.000404e-03, 0xFC00, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -3.0e+01, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = chlo.sinh %0 : tensor<12xf32> -> tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.175201177597046e+00, -1.175201177597046e+00, 5.210952758789062e-01, -6.050204277038574e+00, 1.287578296661377e+01, 1.0000001639127731e-03, -5.343237111808e+12, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -3.0e+01, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = chlo.sinh %0 : tensor<12xf64> -> tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.1752011936438014e+00, -1.1752011936438014e+00, 5.210953054937474e-01, -6.0502044810397875e+00, 1.287578285468067e+01, 1.000000166666675e-03, -5.343237290762231e+12, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.sinh %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(5.048956871032715e-01, 2.789791226387024e-01), (-1.9596009254455566e+00, 3.165778636932373e+00), (3.1828694343566895e+00, -1.8036928176879883e+00), (-2.3290999233722687e-01, -6.73425555229187e-01), (1.0017874717712402e+01, 0.0e+00), (-1.0017874717712402e+01, 0.0e+00), (0.0e+00, 1.246747300028801e-01), (-1.3917897939682007e+00, 1.7803094387054443e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.sinh %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(5.04895714387995e-01, 2.789791283502615e-01), (-1.9596010414216063e+00, 3.165778513216168e+00), (3.1828694483371494e+00, -1.8036926955321817e+00), (-2.3290996731262684e-01, -6.734255599525789e-01), (1.0017874927409903e+01, 0.0e+00), (-1.0017874927409903e+01, 0.0e+00), (0.0e+00, 1.2467473338522769e-01), (-1.391789932858675e+00, 1.7803094668024528e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
