// clamp: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i32() {
  %c0 = stablehlo.constant dense<[2, 2, 2, 2]> : tensor<4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi32>
  %c1 = stablehlo.constant dense<[1, 2, 5, 9]> : tensor<4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xi32>
  %c2 = stablehlo.constant dense<[6, 6, 6, 6]> : tensor<4xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xi32>
  %r = stablehlo.clamp %0, %1, %2 : tensor<4xi32>
  check.expect_eq_const %r, dense<[2, 2, 5, 6]> : tensor<4xi32>
  return
}

func.func @ui8() {
  %c0 = stablehlo.constant dense<[2, 2, 2, 2]> : tensor<4xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xui8>
  %c1 = stablehlo.constant dense<[1, 2, 5, 9]> : tensor<4xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xui8>
  %c2 = stablehlo.constant dense<[6, 6, 6, 6]> : tensor<4xui8>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xui8>
  %r = stablehlo.clamp %0, %1, %2 : tensor<4xui8>
  check.expect_eq_const %r, dense<[2, 2, 5, 6]> : tensor<4xui8>
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00]> : tensor<4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 5.0e+00, 9.0e+00]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  %c2 = stablehlo.constant dense<[6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00]> : tensor<4xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xf32>
  %r = stablehlo.clamp %0, %1, %2 : tensor<4xf32>
  check.expect_eq_const %r, dense<[2.0e+00, 2.0e+00, 5.0e+00, 6.0e+00]> : tensor<4xf32>
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00]> : tensor<4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 5.0e+00, 9.0e+00]> : tensor<4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf64>
  %c2 = stablehlo.constant dense<[6.0e+00, 6.0e+00, 6.0e+00, 6.0e+00]> : tensor<4xf64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xf64>
  %r = stablehlo.clamp %0, %1, %2 : tensor<4xf64>
  check.expect_eq_const %r, dense<[2.0e+00, 2.0e+00, 5.0e+00, 6.0e+00]> : tensor<4xf64>
  return
}

func.func @bf16() {
  %c0 = stablehlo.constant dense<[2.000000e+00, 2.000000e+00, 2.000000e+00, 2.000000e+00]> : tensor<4xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xbf16>
  %c1 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 5.000000e+00, 9.000000e+00]> : tensor<4xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xbf16>
  %c2 = stablehlo.constant dense<[6.000000e+00, 6.000000e+00, 6.000000e+00, 6.000000e+00]> : tensor<4xbf16>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xbf16>
  %r = stablehlo.clamp %0, %1, %2 : tensor<4xbf16>
  check.expect_eq_const %r, dense<[2.000000e+00, 2.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<4xbf16>
  return
}

func.func @scalar_bounds() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[-2.0e+00, 5.0e-01, 3.0e+00, 0x7FC00000]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  %c2 = stablehlo.constant dense<1.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = stablehlo.clamp %0, %1, %2 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 5.0e-01, 1.0e+00, 0x7FC00000]> : tensor<4xf32>
  return
}
