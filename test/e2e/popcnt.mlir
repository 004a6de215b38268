// popcnt: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.popcnt %0 : tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 7, 6, 1, 2]> : tensor<10xi8>
  return
}

func.func @i16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 32767, 32766, -32768, -16384]> : tensor<10xi16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi16>
  %r = stablehlo.popcnt %0 : tensor<10xi16>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 15, 14, 1, 2]> : tensor<10xi16>
  return
}

func.func @i32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.popcnt %0 : tensor<10xi32>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 31, 30, 1, 2]> : tensor<10xi32>
  return
}

func.func @i64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.popcnt %0 : tensor<10xi64>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 63, 62, 1, 2]> : tensor<10xi64>
  return
}

func.func @ui8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.popcnt %0 : tensor<10xui8>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 8, 7, 0, 0]> : tensor<10xui8>
  return
}

func.func @ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 65535, 65534, 0, 0]> : tensor<10xui16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui16>
  %r = stablehlo.popcnt %0 : tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 16, 15, 0, 0]> : tensor<10xui16>
  return
}

func.func @ui32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.popcnt %0 : tensor<10xui32>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 32, 31, 0, 0]> : tensor<10xui32>
  return
}

func.func @ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 18446744073709551615, 18446744073709551614, 0, 0]> : tensor<10xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui64>
  %r = stablehlo.popcnt %0 : tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 1, 1, 2, 3, 3, 64, 63, 0, 0]> : tensor<10xui64>
  return
}
