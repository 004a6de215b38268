// get_dimension_size: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @dimension_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = stablehlo.get_dimension_size %0, dim = 0 : (tensor<2x3xf32>) -> tensor<i32>
  check.expect_eq_const %r, dense<2> : tensor<i32>
  return
}

func.func @dimension_1() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = stablehlo.get_dimension_size %0, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  check.expect_eq_const %r, dense<3> : tensor<i32>
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<> : tensor<3x0xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x0xf32>
  %r = stablehlo.get_dimension_size %0, dim = 1 : (tensor<3x0xf32>) -> tensor<i32>
  check.expect_eq_const %r, dense<0> : tensor<i32>
  return
}
