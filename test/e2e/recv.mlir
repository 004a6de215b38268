// recv: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @several() {
  %c0 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xi32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %sent12 = "stablehlo.send"(%0, %1, %token) {channel_handle = #stablehlo.channel_handle<handle = 12, type = 2>, is_host_transfer = true} : (tensor<3x4xi32>, tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %r0, %r1, %got12 = "stablehlo.recv"(%sent12) {channel_handle = #stablehlo.channel_handle<handle = 12, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<3x4xi32>, tensor<2xf32>, !stablehlo.token)
  check.expect_eq_const %r0, dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  check.expect_eq_const %r1, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  return
}

func.func @in_turn() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %sent13 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 13, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %twice = stablehlo.add %0, %0 : tensor<2xf32>
  %second = "stablehlo.send"(%twice, %sent13) {channel_handle = #stablehlo.channel_handle<handle = 13, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %r0, %got13 = "stablehlo.recv"(%second) {channel_handle = #stablehlo.channel_handle<handle = 13, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %r1, %last = "stablehlo.recv"(%got13) {channel_handle = #stablehlo.channel_handle<handle = 13, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  check.expect_eq_const %r0, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  check.expect_eq_const %r1, dense<[0.0e+00, 2.0e+00]> : tensor<2xf32>
  return
}
