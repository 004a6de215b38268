// complex: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32() {
  %c0 = stablehlo.constant dense<[1.0e+00, -2.5e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[0.0e+00, 7.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %r = stablehlo.complex %0, %1 : tensor<2xcomplex<f32>>
  check.expect_eq_const %r, dense<[(1.0e+00, 0.0e+00), (-2.5e+00, 7.0e+00)]> : tensor<2xcomplex<f32>>
  return
}
