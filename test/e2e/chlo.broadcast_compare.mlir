// chlo.broadcast_compare: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @EQ_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [false, false, false]]> : tensor<2x3xi1>
  return
}

func.func @EQ_1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [false, false, false]]> : tensor<2x3xi1>
  return
}

func.func @EQ_2() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [false, false, false]]> : tensor<2x3xi1>
  return
}

func.func @EQ_3() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[false, false], [false, false]]> : tensor<2x2xi1>
  return
}

func.func @EQ_4() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction EQ>, broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [true, false, false]]> : tensor<2x3xi1>
  return
}

func.func @NE_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction NE>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [true, true, true]]> : tensor<2x3xi1>
  return
}

func.func @NE_1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction NE>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [true, true, true]]> : tensor<2x3xi1>
  return
}

func.func @NE_2() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction NE>} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [true, true, true]]> : tensor<2x3xi1>
  return
}

func.func @NE_3() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction NE>} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[true, true], [true, true]]> : tensor<2x2xi1>
  return
}

func.func @NE_4() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction NE>, broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [false, true, true]]> : tensor<2x3xi1>
  return
}

func.func @GE_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GE>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [true, true, false]]> : tensor<2x3xi1>
  return
}

func.func @GE_1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GE>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [false, false, true]]> : tensor<2x3xi1>
  return
}

func.func @GE_2() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GE>} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [true, false, false]]> : tensor<2x3xi1>
  return
}

func.func @GE_3() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GE>} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[false, false], [false, false]]> : tensor<2x2xi1>
  return
}

func.func @GE_4() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GE>, broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [true, false, true]]> : tensor<2x3xi1>
  return
}

func.func @GT_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [true, true, false]]> : tensor<2x3xi1>
  return
}

func.func @GT_1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GT>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [false, false, true]]> : tensor<2x3xi1>
  return
}

func.func @GT_2() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GT>} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [true, false, false]]> : tensor<2x3xi1>
  return
}

func.func @GT_3() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GT>} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[false, false], [false, false]]> : tensor<2x2xi1>
  return
}

func.func @GT_4() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction GT>, broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[false, false, false], [false, false, true]]> : tensor<2x3xi1>
  return
}

func.func @LE_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LE>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [false, false, true]]> : tensor<2x3xi1>
  return
}

func.func @LE_1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LE>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [true, true, false]]> : tensor<2x3xi1>
  return
}

func.func @LE_2() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LE>} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [false, true, true]]> : tensor<2x3xi1>
  return
}

func.func @LE_3() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LE>} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[true, true], [true, true]]> : tensor<2x2xi1>
  return
}

func.func @LE_4() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LE>, broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [true, true, false]]> : tensor<2x3xi1>
  return
}

func.func @LT_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [false, false, true]]> : tensor<2x3xi1>
  return
}

func.func @LT_1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [true, true, false]]> : tensor<2x3xi1>
  return
}

func.func @LT_2() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [false, true, true]]> : tensor<2x3xi1>
  return
}

func.func @LT_3() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xi1>
  check.expect_eq_const %r, dense<[[true, true], [true, true]]> : tensor<2x2xi1>
  return
}

func.func @LT_4() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_compare"(%0, %1) {comparison_direction = #chlo<comparison_direction LT>, broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %r, dense<[[true, true, true], [false, true, false]]> : tensor<2x3xi1>
  return
}
