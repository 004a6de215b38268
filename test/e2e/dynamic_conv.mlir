// dynamic_conv: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @run_time() {
  %c0 = stablehlo.constant dense<[[[[1], [2], [3], [4]], [[5], [6], [7], [8]], [[9], [10], [11], [12]], [[13], [14], [15], [16]]]]> : tensor<1x4x4x1xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x4x4x1xi64>
  %c1 = stablehlo.constant dense<[[[[1]], [[1]], [[1]]], [[[1]], [[1]], [[1]]], [[[1]], [[1]], [[1]]]]> : tensor<3x3x1x1xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x3x1x1xi64>
  %c2 = stablehlo.constant dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x2xi64>
  %r = "stablehlo.dynamic_conv"(%0, %1, %2) <{window_strides = array<i64: 4, 4>, lhs_dilation = array<i64: 2, 2>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>, tensor<2x2xi64>) -> tensor<1x2x2x1xi64>
  check.expect_eq_const %r, dense<[[[[1], [3]], [[9], [11]]]]> : tensor<1x2x2x1xi64>
  return
}

func.func @any_shape() {
  %c0 = stablehlo.constant dense<[[[[1], [2], [3], [4]], [[5], [6], [7], [8]], [[9], [10], [11], [12]], [[13], [14], [15], [16]]]]> : tensor<1x4x4x1xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x4x4x1xi64>
  %c1 = stablehlo.constant dense<[[[[1]], [[1]], [[1]]], [[[1]], [[1]], [[1]]], [[[1]], [[1]], [[1]]]]> : tensor<3x3x1x1xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x3x1x1xi64>
  %c2 = stablehlo.constant dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x2xi64>
  %sizes = stablehlo.constant dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>
  %d = "stablehlo.dynamic_conv"(%0, %1, %sizes) <{window_strides = array<i64: 4, 4>, lhs_dilation = array<i64: 2, 2>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : (tensor<1x4x4x1xi64>, tensor<3x3x1x1xi64>, tensor<2x2xi64>) -> tensor<?x?x?x?xi64>
  %r = stablehlo.reshape %d : (tensor<?x?x?x?xi64>) -> tensor<1x2x2x1xi64>
  check.expect_eq_const %r, dense<[[[[1], [3]], [[9], [11]]]]> : tensor<1x2x2x1xi64>
  return
}
