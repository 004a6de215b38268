// grid/channels: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @two_in_order() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %r0, %r1, %r2 = "interpreter.run_parallel"(%0) {programs = [[@sender], [@taker]]} : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_eq_const %r0, dense<[0.0e+00, 2.0e+00, 4.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r2, dense<[0.0e+00, 2.0e+00, 4.0e+00]> : tensor<3xf32>
  return
}

func.func private @sender(%0: tensor<3xf32>) -> tensor<3xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %sent1 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  %twice = stablehlo.add %0, %0 : tensor<3xf32>
  %second = "stablehlo.send"(%twice, %sent1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %twice : tensor<3xf32>
}

func.func private @taker() -> (tensor<3xf32>, tensor<3xf32>) {
  %token = stablehlo.create_token : !stablehlo.token
  %x, %got1 = "stablehlo.recv"(%token) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  %y, %last = "stablehlo.recv"(%got1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  return %x, %y : tensor<3xf32>, tensor<3xf32>
}
