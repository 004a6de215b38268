// interpreter.run_parallel: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @one_program() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %r = "interpreter.run_parallel"(%0) {programs = [[@negated]]} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[-0.0e+00, -1.0e+00, -2.0e+00]> : tensor<3xf32>
  return
}

func.func private @negated(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = stablehlo.negate %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
