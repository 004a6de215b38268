// collective_permute: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @float32_2x2() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xf32>
  %r = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<0> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  return
}

func.func @int8_2x4() {
  %c0 = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4xi8>
  %r = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<0> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x4xi8>) -> tensor<2x4xi8>
  check.expect_eq_const %r, dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi8>
  return
}

func.func @complex64_2x2() {
  %c0 = stablehlo.constant dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xcomplex<f32>>
  %r = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<0> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  return
}

func.func @float32_0x2() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %r = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<0> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<0x2xf32>) -> tensor<0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}

func.func @from_nobody() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00]]> : tensor<2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xf32>
  %r = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00]]> : tensor<2x2xf32>
  return
}
