// imag: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f32>>
  %r = stablehlo.imag %0 : (tensor<12xcomplex<f32>>) -> tensor<12xf32>
  check.expect_eq_const %r, dense<[2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00]> : tensor<12xf32>
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f64>>
  %r = stablehlo.imag %0 : (tensor<12xcomplex<f64>>) -> tensor<12xf64>
  check.expect_eq_const %r, dense<[2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00, 2.5e-01, -1.5e+00]> : tensor<12xf64>
  return
}
