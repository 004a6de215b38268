// dynamic_pad: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @run_time_amounts() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<-1.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %c2 = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi64>
  %c3 = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xi64>
  %c4 = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2xi64>
  %r = stablehlo.dynamic_pad %0, %1, %2, %3, %4 : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x4xf32>
  check.expect_eq_const %r, dense<[[-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [1.0e+00, 2.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [4.0e+00, 5.0e+00, -1.0e+00, -1.0e+00]]> : tensor<4x4xf32>
  return
}
