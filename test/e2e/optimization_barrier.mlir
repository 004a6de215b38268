// optimization_barrier: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<1.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r0, %r1 = stablehlo.optimization_barrier %0, %1 : tensor<f32>, tensor<f32>
  check.expect_eq_const %r0, dense<0.0e+00> : tensor<f32>
  check.expect_eq_const %r1, dense<1.0e+00> : tensor<f32>
  return
}

func.func @with_token() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %token = stablehlo.create_token : !stablehlo.token
  %r, %t = stablehlo.optimization_barrier %0, %token : tensor<f32>, !stablehlo.token
  check.expect_eq_const %r, dense<0.0e+00> : tensor<f32>
  return
}

func.func @i1() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.optimization_barrier %0 : tensor<4xi1>
  check.expect_eq_const %r, dense<[false, true, true, false]> : tensor<4xi1>
  return
}

func.func @i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.optimization_barrier %0 : tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  return
}

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.optimization_barrier %0 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f32>>
  %r = stablehlo.optimization_barrier %0 : tensor<12xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.optimization_barrier %0 : tensor<12xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  return
}
