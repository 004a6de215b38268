// real_dynamic_slice: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @run_time_amounts() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00, 1.0e+01, 1.1e+01], [1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01, 1.6e+01, 1.7e+01], [1.8e+01, 1.9e+01, 2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01]]> : tensor<4x6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x6xf32>
  %c1 = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi64>
  %c2 = stablehlo.constant dense<[3, 6]> : tensor<2xi64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi64>
  %c3 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xi64>
  %r = stablehlo.real_dynamic_slice %0, %1, %2, %3 : (tensor<4x6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[6.0e+00, 8.0e+00, 1.0e+01], [1.2e+01, 1.4e+01, 1.6e+01]]> : tensor<2x3xf32>
  return
}
