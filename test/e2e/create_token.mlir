// create_token: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @beside_values() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %t = stablehlo.after_all %token : !stablehlo.token
  %r = stablehlo.negate %0 : tensor<2xf32>
  check.expect_eq_const %r, dense<[-0.0e+00, -1.0e+00]> : tensor<2xf32>
  return
}
