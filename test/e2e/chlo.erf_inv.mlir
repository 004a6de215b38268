// chlo.erf_inv: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 9.994507e-04, 8.750000e-01, 1.500000e+00, 0x7FC0]> : tensor<10xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xbf16>
  %r = chlo.erf_inv %0 : tensor<10xbf16> -> tensor<10xbf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 0.000000e+00, 0x7F80, 0xFF80, 4.765625e-01, -2.255859e-01, 8.850098e-04, 1.085938e+00, 0x7FC0, 0xFFC0]> : tensor<10xbf16>, tolerance = 2.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e-01, 1.000404e-03, 8.750000e-01, 1.500000e+00, 0x7E00]> : tensor<10xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf16>
  %r = chlo.erf_inv %0 : tensor<10xf16> -> tensor<10xf16>
  check.expect_almost_eq_const %r, dense<[0.000000e+00, 0.000000e+00, 0x7C00, 0xFC00, 4.770508e-01, -2.253418e-01, 8.864403e-04, 1.084961e+00, 0x7E00, 0xFE00]> : tensor<10xf16>, tolerance = 4.000000e-03
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0000000474974513e-03, 8.75e-01, 1.5e+00, 0x7FC00000]> : tensor<10xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf32>
  %r = chlo.erf_inv %0 : tensor<10xf32> -> tensor<10xf32>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 0.0e+00, 0x7F800000, 0xFF800000, 4.769362807273865e-01, -2.2531205415725708e-01, 8.862271788530052e-04, 1.0847870111465454e+00, 0x7FC00000, 0xFFC00000]> : tensor<10xf32>, tolerance = 4.000000e-06
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e-01, 1.0e-03, 8.75e-01, 1.5e+00, 0x7FF8000000000000]> : tensor<10xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xf64>
  %r = chlo.erf_inv %0 : tensor<10xf64> -> tensor<10xf64>
  check.expect_almost_eq_const %r, dense<[0.0e+00, 0.0e+00, 0x7FF0000000000000, 0xFFF0000000000000, 4.769362762044699e-01, -2.253120550121781e-01, 8.86227157466552e-04, 1.084787040069283e+00, 0x7FF8000000000000, 0xFFF8000000000000]> : tensor<10xf64>, tolerance = 2.000000e-13
  return
}
