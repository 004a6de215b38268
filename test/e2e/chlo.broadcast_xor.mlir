// chlo.broadcast_xor: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i32_0() {
  %c0 = stablehlo.constant dense<[[0, 3, 6], [2, 5, 1]]> : tensor<2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi32>
  %c1 = stablehlo.constant dense<[1, 4, 7]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "chlo.broadcast_xor"(%0, %1) {} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 7, 1], [3, 1, 6]]> : tensor<2x3xi32>
  return
}

func.func @ui8_1() {
  %c0 = stablehlo.constant dense<[[0, 3, 6], [2, 5, 1]]> : tensor<2x3xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xui8>
  %c1 = stablehlo.constant dense<[1, 4, 7]> : tensor<3xui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xui8>
  %r = "chlo.broadcast_xor"(%0, %1) {} : (tensor<2x3xui8>, tensor<3xui8>) -> tensor<2x3xui8>
  check.expect_eq_const %r, dense<[[1, 7, 1], [3, 1, 6]]> : tensor<2x3xui8>
  return
}

func.func @i1_2() {
  %c0 = stablehlo.constant dense<[[false, true, true], [true, true, true]]> : tensor<2x3xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi1>
  %c1 = stablehlo.constant dense<[true, true, true]> : tensor<3xi1>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi1>
  %r = "chlo.broadcast_xor"(%0, %1) {} : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, false, false], [false, false, false]]> : tensor<2x3xi1>
  return
}

func.func @i32_3() {
  %c0 = stablehlo.constant dense<[0, 3, 6]> : tensor<3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xi32>
  %c1 = stablehlo.constant dense<[[1, 4, 7], [3, 6, 2]]> : tensor<2x3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xi32>
  %r = "chlo.broadcast_xor"(%0, %1) {} : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 7, 1], [3, 5, 4]]> : tensor<2x3xi32>
  return
}

func.func @i32_4() {
  %c0 = stablehlo.constant dense<[[0], [3]]> : tensor<2x1xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xi32>
  %c1 = stablehlo.constant dense<[[1, 4, 7]]> : tensor<1x3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xi32>
  %r = "chlo.broadcast_xor"(%0, %1) {} : (tensor<2x1xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 4, 7], [2, 7, 4]]> : tensor<2x3xi32>
  return
}

func.func @i32_5() {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[[1, 4], [7, 3]]> : tensor<2x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xi32>
  %r = "chlo.broadcast_xor"(%0, %1) {} : (tensor<i32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[1, 4], [7, 3]]> : tensor<2x2xi32>
  return
}

func.func @i32_6() {
  %c0 = stablehlo.constant dense<[0, 3]> : tensor<2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi32>
  %c1 = stablehlo.constant dense<[[1, 4, 7], [3, 6, 2]]> : tensor<2x3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xi32>
  %r = "chlo.broadcast_xor"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[1, 4, 7], [0, 5, 1]]> : tensor<2x3xi32>
  return
}

func.func @i32_7() {
  %c0 = stablehlo.constant dense<[[[0, 3], [6, 2], [5, 1]], [[4, 0], [3, 6], [2, 5]]]> : tensor<2x3x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xi32>
  %c1 = stablehlo.constant dense<[1, 4, 7]> : tensor<3xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xi32>
  %r = "chlo.broadcast_xor"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xi32>, tensor<3xi32>) -> tensor<2x3x2xi32>
  check.expect_eq_const %r, dense<[[[1, 2], [2, 6], [2, 6]], [[5, 1], [7, 2], [5, 2]]]> : tensor<2x3x2xi32>
  return
}

func.func @i32_8() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xi32>
  %c1 = stablehlo.constant dense<[[1, 4]]> : tensor<1x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xi32>
  %r = "chlo.broadcast_xor"(%0, %1) {} : (tensor<0x2xi32>, tensor<1x2xi32>) -> tensor<0x2xi32>
  check.expect_eq_const %r, dense<> : tensor<0x2xi32>
  return
}
