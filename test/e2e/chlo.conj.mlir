// chlo.conj: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0000001192092896e-01, -6.99999988079071e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f32>>
  %r = chlo.conj %0 : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  check.expect_eq_const %r, dense<[(5.0e-01, -2.5e-01), (-2.0e+00, -1.0e+00), (2.0e+00, 5.0e-01), (-3.0000001192092896e-01, 6.99999988079071e-01), (3.0e+00, -0.0e+00), (-3.0e+00, -0.0e+00), (0.0e+00, -1.25e-01), (1.5e+00, 4.0e+00)]> : tensor<8xcomplex<f32>>
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(5.0e-01, 2.5e-01), (-2.0e+00, 1.0e+00), (2.0e+00, -5.0e-01), (-3.0e-01, -7.0e-01), (3.0e+00, 0.0e+00), (-3.0e+00, 0.0e+00), (0.0e+00, 1.25e-01), (1.5e+00, -4.0e+00)]> : tensor<8xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<8xcomplex<f64>>
  %r = chlo.conj %0 : tensor<8xcomplex<f64>> -> tensor<8xcomplex<f64>>
  check.expect_eq_const %r, dense<[(5.0e-01, -2.5e-01), (-2.0e+00, -1.0e+00), (2.0e+00, 5.0e-01), (-3.0e-01, 7.0e-01), (3.0e+00, -0.0e+00), (-3.0e+00, -0.0e+00), (0.0e+00, -1.25e-01), (1.5e+00, 4.0e+00)]> : tensor<8xcomplex<f64>>
  return
}
