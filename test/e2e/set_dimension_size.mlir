// set_dimension_size: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @whole() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.set_dimension_size %0, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @part() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %d = stablehlo.set_dimension_size %0, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  %r0 = stablehlo.reshape %d : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>) -> tensor<2x2xf32>
  %r1 = stablehlo.get_dimension_size %d, dim = 1 : (tensor<2x?xf32, #stablehlo.bounds<?, 3>>) -> tensor<i32>
  check.expect_eq_const %r0, dense<[[0.0e+00, 1.0e+00], [3.0e+00, 4.0e+00]]> : tensor<2x2xf32>
  check.expect_eq_const %r1, dense<2> : tensor<i32>
  return
}
