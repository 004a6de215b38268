// chlo.next_after: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, 1.000000e+00, -1.000000e+00, 2.000000e+00, 0x7F80, 0xFF80, 0x7FC0, 1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, -1.000000e+00, 2.000000e+00, 0.000000e+00, -2.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00, 0x7FC0, 0.000000e+00, 3.000000e+00]> : tensor<12xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<12xbf16>
  %r = chlo.next_after %0, %1 : tensor<12xbf16>, tensor<12xbf16> -> tensor<12xbf16>
  check.expect_eq_const %r, dense<[9.183550e-41, -9.183550e-41, 1.007812e+00, 9.960938e-01, -1.007812e+00, 1.992188e+00, 3.389531e+38, -3.389531e+38, 0x7FC0, 0x7FC0, 0.000000e+00, 3.000000e+00]> : tensor<12xbf16>
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, 1.000000e+00, -1.000000e+00, 2.000000e+00, 0x7C00, 0xFC00, 0x7E00, 1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, -1.000000e+00, 2.000000e+00, 0.000000e+00, -2.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 1.000000e+00, 0x7E00, 0.000000e+00, 3.000000e+00]> : tensor<12xf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<12xf16>
  %r = chlo.next_after %0, %1 : tensor<12xf16>, tensor<12xf16> -> tensor<12xf16>
  check.expect_eq_const %r, dense<[5.960464e-08, -5.960464e-08, 1.000977e+00, 9.995117e-01, -1.000977e+00, 1.999023e+00, 6.550400e+04, -6.550400e+04, 0x7E00, 0x7E00, 0.000000e+00, 3.000000e+00]> : tensor<12xf16>
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e+00, 0.0e+00, 3.0e+00]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, -1.0e+00, 2.0e+00, 0.0e+00, -2.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 0x7FC00000, 0.0e+00, 3.0e+00]> : tensor<12xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<12xf32>
  %r = chlo.next_after %0, %1 : tensor<12xf32>, tensor<12xf32> -> tensor<12xf32>
  check.expect_eq_const %r, dense<[1.401298464324817e-45, -1.401298464324817e-45, 1.0000001192092896e+00, 9.999999403953552e-01, -1.0000001192092896e+00, 1.9999998807907104e+00, 3.4028234663852886e+38, -3.4028234663852886e+38, 0x7FC00000, 0x7FC00000, 0.0e+00, 3.0e+00]> : tensor<12xf32>
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0e+00, 0.0e+00, 3.0e+00]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, -1.0e+00, 2.0e+00, 0.0e+00, -2.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 1.0e+00, 0x7FF8000000000000, 0.0e+00, 3.0e+00]> : tensor<12xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<12xf64>
  %r = chlo.next_after %0, %1 : tensor<12xf64>, tensor<12xf64> -> tensor<12xf64>
  check.expect_eq_const %r, dense<[5.0e-324, -5.0e-324, 1.0000000000000002e+00, 9.999999999999999e-01, -1.0000000000000002e+00, 1.9999999999999998e+00, 1.7976931348623157e+308, -1.7976931348623157e+308, 0x7FF8000000000000, 0x7FF8000000000000, 0.0e+00, 3.0e+00]> : tensor<12xf64>
  return
}
