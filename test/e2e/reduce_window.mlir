// reduce_window: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @max_pool() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01], [1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01, 1.6e+01, 1.7e+01], [1.8e+01, 1.9e+01, 2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]> : tensor<4x6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x6xf32>
  %c1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = "stablehlo.reduce_window"(%0, %1) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x6xf32>
  check.expect_eq_const %r, dense<[[7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01, 1.1e+01], [1.9e+01, 2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.3e+01]]> : tensor<2x6xf32>
  return
}
