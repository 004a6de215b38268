// send: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @int32_2() {
  %c0 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x4xi32>
  %token = stablehlo.create_token : !stablehlo.token
  %sent11 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 2>, is_host_transfer = true} : (tensor<3x4xi32>, !stablehlo.token) -> !stablehlo.token
  %r, %got11 = "stablehlo.recv"(%sent11) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<3x4xi32>, !stablehlo.token)
  check.expect_eq_const %r, dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  return
}

func.func @float32_1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %sent11 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %r, %got11 = "stablehlo.recv"(%sent11) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  return
}

func.func @bool_1() {
  %c0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi1>
  %token = stablehlo.create_token : !stablehlo.token
  %sent11 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 2>, is_host_transfer = true} : (tensor<2xi1>, !stablehlo.token) -> !stablehlo.token
  %r, %got11 = "stablehlo.recv"(%sent11) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xi1>, !stablehlo.token)
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @float32_2() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %sent11 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 2>, is_host_transfer = true} : (tensor<0x2xf32>, !stablehlo.token) -> !stablehlo.token
  %r, %got11 = "stablehlo.recv"(%sent11) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<0x2xf32>, !stablehlo.token)
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}

func.func @complex64_2() {
  %c0 = stablehlo.constant dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xcomplex<f32>>
  %token = stablehlo.create_token : !stablehlo.token
  %sent11 = "stablehlo.send"(%0, %token) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 2>, is_host_transfer = true} : (tensor<2x2xcomplex<f32>>, !stablehlo.token) -> !stablehlo.token
  %r, %got11 = "stablehlo.recv"(%sent11) {channel_handle = #stablehlo.channel_handle<handle = 11, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2x2xcomplex<f32>>, !stablehlo.token)
  check.expect_eq_const %r, dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  return
}
