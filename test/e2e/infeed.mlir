// infeed: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @in_order() {
  %token = stablehlo.create_token : !stablehlo.token
  %r0, %r1 = "interpreter.run_parallel"(%token) {infeed = [@first, @second], programs = [[@program]]} : (!stablehlo.token) -> (tensor<3xf32>, tensor<1x2xi1>)
  check.expect_eq_const %r0, dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<[[true, false]]> : tensor<1x2xi1>
  return
}

func.func private @first() -> tensor<3xf32> {
  %x = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  return %x : tensor<3xf32>
}

func.func private @second() -> tensor<1x2xi1> {
  %y = stablehlo.constant dense<[[true, false]]> : tensor<1x2xi1>
  return %y : tensor<1x2xi1>
}

func.func private @program(%token: !stablehlo.token) -> (tensor<3xf32>, tensor<1x2xi1>) {
  %x, %t = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  %y, %u = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<1x2xi1>, !stablehlo.token)
  return %x, %y : tensor<3xf32>, tensor<1x2xi1>
}
