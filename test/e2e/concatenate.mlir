// concatenate: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @inner() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00]]> : tensor<2x5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x5xf32>
  %c2 = stablehlo.constant dense<> : tensor<2x0xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x0xf32>
  %r = stablehlo.concatenate %0, %1, %2, dim = 1 : (tensor<2x3xf32>, tensor<2x5xf32>, tensor<2x0xf32>) -> tensor<2x8xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [3.0e+00, 4.0e+00, 5.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00, 9.0e+00]]> : tensor<2x8xf32>
  return
}

func.func @outer() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<4x3xf32>
  return
}

func.func @booleans() {
  %c0 = stablehlo.constant dense<[[false, false, true], [true, true, true]]> : tensor<2x3xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi1>
  %c1 = stablehlo.constant dense<[[false, false, false, true, true], [true, true, true, true, true]]> : tensor<2x5xi1>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x5xi1>
  %r = stablehlo.concatenate %0, %1, dim = 1 : (tensor<2x3xi1>, tensor<2x5xi1>) -> tensor<2x8xi1>
  check.expect_eq_const %r, dense<[[false, false, true, false, false, false, true, true], [true, true, true, true, true, true, true, true]]> : tensor<2x8xi1>
  return
}
