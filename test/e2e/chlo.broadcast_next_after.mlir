// chlo.broadcast_next_after: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_next_after"(%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[1.401298464324817e-45, 3.000000238418579e+00, 6.000000476837158e+00], [1.9999998807907104e+00, 4.999999523162842e+00, 1.0000001192092896e+00]]> : tensor<2x3xf32>
  return
}

func.func @f64_1() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  %r = "chlo.broadcast_next_after"(%0, %1) {} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  check.expect_eq_const %r, dense<[[5.0e-324, 3.0000000000000004e+00, 6.000000000000001e+00], [1.9999999999999998e+00, 4.999999999999999e+00, 1.0000000000000002e+00]]> : tensor<2x3xf64>
  return
}

func.func @f32_2() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_next_after"(%0, %1) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[1.401298464324817e-45, 3.000000238418579e+00, 6.000000476837158e+00], [1.401298464324817e-45, 3.000000238418579e+00, 5.999999523162842e+00]]> : tensor<2x3xf32>
  return
}

func.func @f32_3() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_next_after"(%0, %1) {} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[1.401298464324817e-45, 1.401298464324817e-45, 1.401298464324817e-45], [2.999999761581421e+00, 3.000000238418579e+00, 3.000000238418579e+00]]> : tensor<2x3xf32>
  return
}

func.func @f32_4() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_next_after"(%0, %1) {} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[1.401298464324817e-45, 1.401298464324817e-45], [1.401298464324817e-45, 1.401298464324817e-45]]> : tensor<2x2xf32>
  return
}

func.func @f32_5() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_next_after"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[1.401298464324817e-45, 1.401298464324817e-45, 1.401298464324817e-45], [3.0e+00, 3.000000238418579e+00, 2.999999761581421e+00]]> : tensor<2x3xf32>
  return
}

func.func @f32_6() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 3.0e+00], [6.0e+00, 2.0e+00], [5.0e+00, 1.0e+00]], [[4.0e+00, 0.0e+00], [3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_next_after"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  check.expect_eq_const %r, dense<[[[1.401298464324817e-45, 2.999999761581421e+00], [5.999999523162842e+00, 2.000000238418579e+00], [5.000000476837158e+00, 1.0000001192092896e+00]], [[3.999999761581421e+00, 1.401298464324817e-45], [3.000000238418579e+00, 5.999999523162842e+00], [2.000000238418579e+00, 5.000000476837158e+00]]]> : tensor<2x3x2xf32>
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00]]> : tensor<1x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xf32>
  %r = "chlo.broadcast_next_after"(%0, %1) {} : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}
