// chlo.top_k: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i32_0() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xi32>
  %r0, %r1 = chlo.top_k(%0, k = 0) : tensor<3x7xi32> -> (tensor<3x0xi32>, tensor<3x0xi32>)
  check.expect_eq_const %r0, dense<> : tensor<3x0xi32>
  check.expect_eq_const %r1, dense<> : tensor<3x0xi32>
  return
}

func.func @i32_1() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xi32>
  %r0, %r1 = chlo.top_k(%0, k = 1) : tensor<3x7xi32> -> (tensor<3x1xi32>, tensor<3x1xi32>)
  check.expect_eq_const %r0, dense<[[10], [10], [9]]> : tensor<3x1xi32>
  check.expect_eq_const %r1, dense<[[2], [6], [1]]> : tensor<3x1xi32>
  return
}

func.func @i32_3() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xi32>
  %r0, %r1 = chlo.top_k(%0, k = 3) : tensor<3x7xi32> -> (tensor<3x3xi32>, tensor<3x3xi32>)
  check.expect_eq_const %r0, dense<[[10, 9, 8], [10, 7, 6], [9, 8, 7]]> : tensor<3x3xi32>
  check.expect_eq_const %r1, dense<[[2, 4, 6], [6, 1, 3], [1, 3, 5]]> : tensor<3x3xi32>
  return
}

func.func @i32_7() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xi32>
  %r0, %r1 = chlo.top_k(%0, k = 7) : tensor<3x7xi32> -> (tensor<3x7xi32>, tensor<3x7xi32>)
  check.expect_eq_const %r0, dense<[[10, 9, 8, 5, 4, 3, 0], [10, 7, 6, 5, 2, 1, 0], [9, 8, 7, 4, 3, 2, 1]]> : tensor<3x7xi32>
  check.expect_eq_const %r1, dense<[[2, 4, 6, 1, 3, 5, 0], [6, 1, 3, 5, 0, 2, 4], [1, 3, 5, 0, 2, 4, 6]]> : tensor<3x7xi32>
  return
}

func.func @ui8_0() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xui8>
  %r0, %r1 = chlo.top_k(%0, k = 0) : tensor<3x7xui8> -> (tensor<3x0xui8>, tensor<3x0xi32>)
  check.expect_eq_const %r0, dense<> : tensor<3x0xui8>
  check.expect_eq_const %r1, dense<> : tensor<3x0xi32>
  return
}

func.func @ui8_1() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xui8>
  %r0, %r1 = chlo.top_k(%0, k = 1) : tensor<3x7xui8> -> (tensor<3x1xui8>, tensor<3x1xi32>)
  check.expect_eq_const %r0, dense<[[10], [10], [9]]> : tensor<3x1xui8>
  check.expect_eq_const %r1, dense<[[2], [6], [1]]> : tensor<3x1xi32>
  return
}

func.func @ui8_3() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xui8>
  %r0, %r1 = chlo.top_k(%0, k = 3) : tensor<3x7xui8> -> (tensor<3x3xui8>, tensor<3x3xi32>)
  check.expect_eq_const %r0, dense<[[10, 9, 8], [10, 7, 6], [9, 8, 7]]> : tensor<3x3xui8>
  check.expect_eq_const %r1, dense<[[2, 4, 6], [6, 1, 3], [1, 3, 5]]> : tensor<3x3xi32>
  return
}

func.func @ui8_7() {
  %c0 = stablehlo.constant dense<[[0, 5, 10, 4, 9, 3, 8], [2, 7, 1, 6, 0, 5, 10], [4, 9, 3, 8, 2, 7, 1]]> : tensor<3x7xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xui8>
  %r0, %r1 = chlo.top_k(%0, k = 7) : tensor<3x7xui8> -> (tensor<3x7xui8>, tensor<3x7xi32>)
  check.expect_eq_const %r0, dense<[[10, 9, 8, 5, 4, 3, 0], [10, 7, 6, 5, 2, 1, 0], [9, 8, 7, 4, 3, 2, 1]]> : tensor<3x7xui8>
  check.expect_eq_const %r1, dense<[[2, 4, 6, 1, 3, 5, 0], [6, 1, 3, 5, 0, 2, 4], [1, 3, 5, 0, 2, 4, 6]]> : tensor<3x7xi32>
  return
}

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf32>
  %r0, %r1 = chlo.top_k(%0, k = 0) : tensor<3x7xf32> -> (tensor<3x0xf32>, tensor<3x0xi32>)
  check.expect_eq_const %r0, dense<> : tensor<3x0xf32>
  check.expect_eq_const %r1, dense<> : tensor<3x0xi32>
  return
}

func.func @f32_1() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf32>
  %r0, %r1 = chlo.top_k(%0, k = 1) : tensor<3x7xf32> -> (tensor<3x1xf32>, tensor<3x1xi32>)
  check.expect_eq_const %r0, dense<[[1.0e+01], [1.0e+01], [9.0e+00]]> : tensor<3x1xf32>
  check.expect_eq_const %r1, dense<[[2], [6], [1]]> : tensor<3x1xi32>
  return
}

func.func @f32_3() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf32>
  %r0, %r1 = chlo.top_k(%0, k = 3) : tensor<3x7xf32> -> (tensor<3x3xf32>, tensor<3x3xi32>)
  check.expect_eq_const %r0, dense<[[1.0e+01, 9.0e+00, 8.0e+00], [1.0e+01, 7.0e+00, 6.0e+00], [9.0e+00, 8.0e+00, 7.0e+00]]> : tensor<3x3xf32>
  check.expect_eq_const %r1, dense<[[2, 4, 6], [6, 1, 3], [1, 3, 5]]> : tensor<3x3xi32>
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf32>
  %r0, %r1 = chlo.top_k(%0, k = 7) : tensor<3x7xf32> -> (tensor<3x7xf32>, tensor<3x7xi32>)
  check.expect_eq_const %r0, dense<[[1.0e+01, 9.0e+00, 8.0e+00, 5.0e+00, 4.0e+00, 3.0e+00, 0.0e+00], [1.0e+01, 7.0e+00, 6.0e+00, 5.0e+00, 2.0e+00, 1.0e+00, 0.0e+00], [9.0e+00, 8.0e+00, 7.0e+00, 4.0e+00, 3.0e+00, 2.0e+00, 1.0e+00]]> : tensor<3x7xf32>
  check.expect_eq_const %r1, dense<[[2, 4, 6, 1, 3, 5, 0], [6, 1, 3, 5, 0, 2, 4], [1, 3, 5, 0, 2, 4, 6]]> : tensor<3x7xi32>
  return
}

func.func @f64_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf64>
  %r0, %r1 = chlo.top_k(%0, k = 0) : tensor<3x7xf64> -> (tensor<3x0xf64>, tensor<3x0xi32>)
  check.expect_eq_const %r0, dense<> : tensor<3x0xf64>
  check.expect_eq_const %r1, dense<> : tensor<3x0xi32>
  return
}

func.func @f64_1() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf64>
  %r0, %r1 = chlo.top_k(%0, k = 1) : tensor<3x7xf64> -> (tensor<3x1xf64>, tensor<3x1xi32>)
  check.expect_eq_const %r0, dense<[[1.0e+01], [1.0e+01], [9.0e+00]]> : tensor<3x1xf64>
  check.expect_eq_const %r1, dense<[[2], [6], [1]]> : tensor<3x1xi32>
  return
}

func.func @f64_3() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf64>
  %r0, %r1 = chlo.top_k(%0, k = 3) : tensor<3x7xf64> -> (tensor<3x3xf64>, tensor<3x3xi32>)
  check.expect_eq_const %r0, dense<[[1.0e+01, 9.0e+00, 8.0e+00], [1.0e+01, 7.0e+00, 6.0e+00], [9.0e+00, 8.0e+00, 7.0e+00]]> : tensor<3x3xf64>
  check.expect_eq_const %r1, dense<[[2, 4, 6], [6, 1, 3], [1, 3, 5]]> : tensor<3x3xi32>
  return
}

func.func @f64_7() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 5.0e+00, 1.0e+01, 4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00], [2.0e+00, 7.0e+00, 1.0e+00, 6.0e+00, 0.0e+00, 5.0e+00, 1.0e+01], [4.0e+00, 9.0e+00, 3.0e+00, 8.0e+00, 2.0e+00, 7.0e+00, 1.0e+00]]> : tensor<3x7xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xf64>
  %r0, %r1 = chlo.top_k(%0, k = 7) : tensor<3x7xf64> -> (tensor<3x7xf64>, tensor<3x7xi32>)
  check.expect_eq_const %r0, dense<[[1.0e+01, 9.0e+00, 8.0e+00, 5.0e+00, 4.0e+00, 3.0e+00, 0.0e+00], [1.0e+01, 7.0e+00, 6.0e+00, 5.0e+00, 2.0e+00, 1.0e+00, 0.0e+00], [9.0e+00, 8.0e+00, 7.0e+00, 4.0e+00, 3.0e+00, 2.0e+00, 1.0e+00]]> : tensor<3x7xf64>
  check.expect_eq_const %r1, dense<[[2, 4, 6, 1, 3, 5, 0], [6, 1, 3, 5, 0, 2, 4], [1, 3, 5, 0, 2, 4, 6]]> : tensor<3x7xi32>
  return
}

func.func @bf16_0() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 5.000000e+00, 1.000000e+01, 4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00], [2.000000e+00, 7.000000e+00, 1.000000e+00, 6.000000e+00, 0.000000e+00, 5.000000e+00, 1.000000e+01], [4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00, 2.000000e+00, 7.000000e+00, 1.000000e+00]]> : tensor<3x7xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xbf16>
  %r0, %r1 = chlo.top_k(%0, k = 0) : tensor<3x7xbf16> -> (tensor<3x0xbf16>, tensor<3x0xi32>)
  check.expect_eq_const %r0, dense<> : tensor<3x0xbf16>
  check.expect_eq_const %r1, dense<> : tensor<3x0xi32>
  return
}

func.func @bf16_1() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 5.000000e+00, 1.000000e+01, 4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00], [2.000000e+00, 7.000000e+00, 1.000000e+00, 6.000000e+00, 0.000000e+00, 5.000000e+00, 1.000000e+01], [4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00, 2.000000e+00, 7.000000e+00, 1.000000e+00]]> : tensor<3x7xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xbf16>
  %r0, %r1 = chlo.top_k(%0, k = 1) : tensor<3x7xbf16> -> (tensor<3x1xbf16>, tensor<3x1xi32>)
  check.expect_eq_const %r0, dense<[[1.000000e+01], [1.000000e+01], [9.000000e+00]]> : tensor<3x1xbf16>
  check.expect_eq_const %r1, dense<[[2], [6], [1]]> : tensor<3x1xi32>
  return
}

func.func @bf16_3() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 5.000000e+00, 1.000000e+01, 4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00], [2.000000e+00, 7.000000e+00, 1.000000e+00, 6.000000e+00, 0.000000e+00, 5.000000e+00, 1.000000e+01], [4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00, 2.000000e+00, 7.000000e+00, 1.000000e+00]]> : tensor<3x7xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xbf16>
  %r0, %r1 = chlo.top_k(%0, k = 3) : tensor<3x7xbf16> -> (tensor<3x3xbf16>, tensor<3x3xi32>)
  check.expect_eq_const %r0, dense<[[1.000000e+01, 9.000000e+00, 8.000000e+00], [1.000000e+01, 7.000000e+00, 6.000000e+00], [9.000000e+00, 8.000000e+00, 7.000000e+00]]> : tensor<3x3xbf16>
  check.expect_eq_const %r1, dense<[[2, 4, 6], [6, 1, 3], [1, 3, 5]]> : tensor<3x3xi32>
  return
}

func.func @bf16_7() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 5.000000e+00, 1.000000e+01, 4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00], [2.000000e+00, 7.000000e+00, 1.000000e+00, 6.000000e+00, 0.000000e+00, 5.000000e+00, 1.000000e+01], [4.000000e+00, 9.000000e+00, 3.000000e+00, 8.000000e+00, 2.000000e+00, 7.000000e+00, 1.000000e+00]]> : tensor<3x7xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x7xbf16>
  %r0, %r1 = chlo.top_k(%0, k = 7) : tensor<3x7xbf16> -> (tensor<3x7xbf16>, tensor<3x7xi32>)
  check.expect_eq_const %r0, dense<[[1.000000e+01, 9.000000e+00, 8.000000e+00, 5.000000e+00, 4.000000e+00, 3.000000e+00, 0.000000e+00], [1.000000e+01, 7.000000e+00, 6.000000e+00, 5.000000e+00, 2.000000e+00, 1.000000e+00, 0.000000e+00], [9.000000e+00, 8.000000e+00, 7.000000e+00, 4.000000e+00, 3.000000e+00, 2.000000e+00, 1.000000e+00]]> : tensor<3x7xbf16>
  check.expect_eq_const %r1, dense<[[2, 4, 6, 1, 3, 5, 0], [6, 1, 3, 5, 0, 2, 4], [1, 3, 5, 0, 2, 4, 6]]> : tensor<3x7xi32>
  return
}

func.func @special() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 0x7FC00000, 0xFF800000, 0x7F800000, 2.0e+00, 0x7FC00000, -3.0e+00]]> : tensor<1x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x7xf32>
  %r0, %r1 = chlo.top_k(%0, k = 6) : tensor<1x7xf32> -> (tensor<1x6xf32>, tensor<1x6xi32>)
  check.expect_eq_const %r0, dense<[[0x7FC00000, 0x7FC00000, 0x7F800000, 2.0e+00, 1.0e+00, -3.0e+00]]> : tensor<1x6xf32>
  check.expect_eq_const %r1, dense<[[1, 5, 3, 4, 0, 6]]> : tensor<1x6xi32>
  return
}

func.func @vector() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00]> : tensor<5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5xf32>
  %r0, %r1 = chlo.top_k(%0, k = 2) : tensor<5xf32> -> (tensor<2xf32>, tensor<2xi32>)
  check.expect_eq_const %r0, dense<[4.0e+00, 3.0e+00]> : tensor<2xf32>
  check.expect_eq_const %r1, dense<[4, 3]> : tensor<2xi32>
  return
}
