// chlo.cosh: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -3.000000e+01, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = chlo.cosh %0 : tensor<12xbf16> -> tensor<12xbf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 1.546875e+00, 1.546875e+00, 1.125000e+00, 6.125000e+00, 1.293750e+01, 1.000000e+00, 5.360119e+12, 0x7F80, 0x7F80, 0x7FC0]> : tensor<12xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -3.000000e+01, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = chlo.cosh %0 : tensor<12xf16> -> tensor<12xf16>
  check.expect_almost_eq_const %r, dense<[1.000000e+00, 1.000000e+00, 1.542969e+00, 1.542969e+00, 1.127930e+00, 6.132812e+00, 1.291406e+01, 1.000000e+00, 0x7C00, 0x7C00, 0x7C00, 0x7E00]> : tensor<12xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -3.0e+01, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = chlo.cosh %0 : tensor<12xf32> -> tensor<12xf32>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 1.5430806875228882e+00, 1.5430806875228882e+00, 1.1276259422302246e+00, 6.132289409637451e+00, 1.2914557456970215e+01, 1.0000004768371582e+00, 5.343237111808e+12, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<12xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -3.0e+01, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = chlo.cosh %0 : tensor<12xf64> -> tensor<12xf64>
  check.expect_almost_eq_const %r, dense<[1.0e+00, 1.0e+00, 1.5430806348152437e+00, 1.5430806348152437e+00, 1.1276259652063807e+00, 6.132289479663686e+00, 1.2914557062512392e+01, 1.0000005000000418e+00, 5.343237290762231e+12, 0x7FF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>, tolerance = 2.000000e-13
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.cosh %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[(1.0925707817077637e+00, 1.289210319519043e-01), (2.0327229499816895e+00, -3.0518977642059326e+00), (3.3016374111175537e+00, -1.738809585571289e+00), (7.995190024375916e-01, 1.9617736339569092e-01), (1.0067662239074707e+01, 0.0e+00), (1.0067662239074707e+01, -0.0e+00), (9.921976923942566e-01, 0.0e+00), (-1.53763747215271e+00, 1.6114439964294434e+00)]> : tensor<8xcomplex<f32>>, tolerance = 8.000000e-06
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.cosh %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[(1.0925708047319176e+00, 1.2892104172809826e-01), (2.0327230070196656e+00, -3.0518977991518e+00), (3.3016373329140944e+00, -1.7388095044743164e+00), (7.995189955990348e-01, 1.961773591614612e-01), (1.0067661995777765e+01, 0.0e+00), (1.0067661995777765e+01, -0.0e+00), (9.92197667229329e-01, 0.0e+00), (-1.5376375386619723e+00, 1.6114440048236633e+00)]> : tensor<8xcomplex<f64>>, tolerance = 2.000000e-12
  return
}
