// chlo.zeta: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @bf16() {
  %c0 = stablehlo.constant dense<[2.000000e+00, 3.000000e+00, 1.500000e+00, 4.000000e+00, 1.000000e+01]> : tensor<5xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5xbf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 5.000000e-01, 4.000000e+00, 2.000000e+00, 1.000000e+00]> : tensor<5xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xbf16>
  %r = chlo.zeta %0, %1 : tensor<5xbf16>, tensor<5xbf16> -> tensor<5xbf16>
  check.expect_almost_eq_const %r, dense<[1.648438e+00, 8.437500e+00, 1.062500e+00, 8.251953e-02, 1.000000e+00]> : tensor<5xbf16>, tolerance = 8.000000e-02
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[2.000000e+00, 3.000000e+00, 1.500000e+00, 4.000000e+00, 1.000000e+01]> : tensor<5xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5xf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 5.000000e-01, 4.000000e+00, 2.000000e+00, 1.000000e+00]> : tensor<5xf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf16>
  %r = chlo.zeta %0, %1 : tensor<5xf16>, tensor<5xf16> -> tensor<5xf16>
  check.expect_almost_eq_const %r, dense<[1.644531e+00, 8.414062e+00, 1.066406e+00, 8.233643e-02, 1.000977e+00]> : tensor<5xf16>, tolerance = 1.600000e-02
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[2.0e+00, 3.0e+00, 1.5e+00, 4.0e+00, 1.0e+01]> : tensor<5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 5.0e-01, 4.0e+00, 2.0e+00, 1.0e+00]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  %r = chlo.zeta %0, %1 : tensor<5xf32>, tensor<5xf32> -> tensor<5xf32>
  check.expect_almost_eq_const %r, dense<[1.644934058189392e+00, 8.414398193359375e+00, 1.0663719177246094e+00, 8.232323080301285e-02, 1.0009945631027222e+00]> : tensor<5xf32>, tolerance = 1.600000e-05
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[2.0e+00, 3.0e+00, 1.5e+00, 4.0e+00, 1.0e+01]> : tensor<5xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 5.0e-01, 4.0e+00, 2.0e+00, 1.0e+00]> : tensor<5xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf64>
  %r = chlo.zeta %0, %1 : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
  check.expect_almost_eq_const %r, dense<[1.6449340668482266e+00, 8.414398322117158e+00, 1.0663718683623398e+00, 8.232323371113821e-02, 1.0009945751278182e+00]> : tensor<5xf64>, tolerance = 8.000000e-13
  return
}
