// broadcast: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @scalar() {
  %c0 = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %r = stablehlo.broadcast %0, sizes = [2, 3] : (tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[5, 5, 5], [5, 5, 5]]> : tensor<2x3xi32>
  return
}

func.func @vector() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %r = stablehlo.broadcast %0, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [0.0e+00, 1.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @none() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %r = stablehlo.broadcast %0, sizes = [] : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %r = stablehlo.broadcast %0, sizes = [0, 2] : (tensor<2xf32>) -> tensor<0x2x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2x2xf32>
  return
}

func.func @booleans() {
  %c0 = stablehlo.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xi1>
  %r = stablehlo.broadcast %0, sizes = [2, 1] : (tensor<2x2xi1>) -> tensor<2x1x2x2xi1>
  check.expect_eq_const %r, dense<[[[[false, false], [true, true]]], [[[false, false], [true, true]]]]> : tensor<2x1x2x2xi1>
  return
}
