// after_all: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @of_two() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %sent14 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 14, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %sent15 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 15, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %both = stablehlo.after_all %sent14, %sent15 : !stablehlo.token
  %r0, %got15 = "stablehlo.recv"(%both) {channel_handle = #stablehlo.channel_handle<handle = 15, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %r1, %got14 = "stablehlo.recv"(%both) {channel_handle = #stablehlo.channel_handle<handle = 14, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %none = stablehlo.after_all : !stablehlo.token
  check.expect_eq_const %r0, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  check.expect_eq_const %r1, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  return
}
