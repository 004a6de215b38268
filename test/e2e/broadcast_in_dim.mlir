// broadcast_in_dim: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @degenerate() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [1.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %r = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @new_dims() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %r = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<3xf32>) -> tensor<2x3x4xf32>
  check.expect_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00]], [[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00]]]> : tensor<2x3x4xf32>
  return
}

func.func @scalar() {
  %c0 = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %r = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[5, 5], [5, 5]]> : tensor<2x2xi32>
  return
}

func.func @transposing() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = stablehlo.broadcast_in_dim %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 3.0e+00], [1.0e+00, 4.0e+00], [2.0e+00, 5.0e+00]]> : tensor<3x2xf32>
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<[0.0e+00]> : tensor<1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1xf32>
  %r = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}
