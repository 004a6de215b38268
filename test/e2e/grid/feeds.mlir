// grid/feeds: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @two() {
  %r0, %r1 = "interpreter.run_parallel"() {infeed = [@given, @given], programs = [[@taker], [@taker]]} : () -> (tensor<2xf32>, tensor<2xf32>)
  check.expect_eq_const %r0, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  check.expect_eq_const %r1, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  return
}

func.func private @taker() -> tensor<2xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %x, %u = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %x : tensor<2xf32>
}

func.func private @given() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  return %x : tensor<2xf32>
}
