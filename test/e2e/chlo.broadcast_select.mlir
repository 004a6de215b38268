// chlo.broadcast_select: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @one_predicate() {
  %c0 = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i1>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %c2 = stablehlo.constant dense<[[-0.0e+00, -1.0e+00, -2.0e+00], [-3.0e+00, -4.0e+00, -5.0e+00]]> : tensor<2x3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x3xf32>
  %r = "chlo.broadcast_select"(%0, %1, %2) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @scalar_values() {
  %c0 = stablehlo.constant dense<[[false, false, false], [true, true, true]]> : tensor<2x3xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi1>
  %c1 = stablehlo.constant dense<9.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %c2 = stablehlo.constant dense<-1.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "chlo.broadcast_select"(%0, %1, %2) : (tensor<2x3xi1>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-1.0e+00, -1.0e+00, -1.0e+00], [9.0e+00, 9.0e+00, 9.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @rows() {
  %c0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xi1>
  %c1 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %c2 = stablehlo.constant dense<[[-0.0e+00, -1.0e+00, -2.0e+00], [-3.0e+00, -4.0e+00, -5.0e+00]]> : tensor<2x3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x3xf32>
  %r = "chlo.broadcast_select"(%0, %1, %2) : (tensor<3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, -1.0e+00, 2.0e+00], [3.0e+00, -4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @integers() {
  %c0 = stablehlo.constant dense<[[false, false, false], [true, true, true]]> : tensor<2x3xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi1>
  %c1 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xi32>
  %c2 = stablehlo.constant dense<5> : tensor<i32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<i32>
  %r = "chlo.broadcast_select"(%0, %1, %2) : (tensor<2x3xi1>, tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[5, 5, 5], [3, 4, 5]]> : tensor<2x3xi32>
  return
}
