// not: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i1() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.not %0 : tensor<4xi1>
  check.expect_eq_const %r, dense<[true, false, false, true]> : tensor<4xi1>
  return
}

func.func @i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.not %0 : tensor<10xi8>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -101, -128, -127, 127, 63]> : tensor<10xi8>
  return
}

func.func @i16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 32767, 32766, -32768, -16384]> : tensor<10xi16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi16>
  %r = stablehlo.not %0 : tensor<10xi16>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -101, -32768, -32767, 32767, 16383]> : tensor<10xi16>
  return
}

func.func @i32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.not %0 : tensor<10xi32>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -101, -2147483648, -2147483647, 2147483647, 1073741823]> : tensor<10xi32>
  return
}

func.func @i64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.not %0 : tensor<10xi64>
  check.expect_eq_const %r, dense<[-1, -2, -3, -4, -8, -101, -9223372036854775808, -9223372036854775807, 9223372036854775807, 4611686018427387903]> : tensor<10xi64>
  return
}

func.func @ui8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.not %0 : tensor<10xui8>
  check.expect_eq_const %r, dense<[255, 254, 253, 252, 248, 155, 0, 1, 255, 255]> : tensor<10xui8>
  return
}

func.func @ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 65535, 65534, 0, 0]> : tensor<10xui16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui16>
  %r = stablehlo.not %0 : tensor<10xui16>
  check.expect_eq_const %r, dense<[65535, 65534, 65533, 65532, 65528, 65435, 0, 1, 65535, 65535]> : tensor<10xui16>
  return
}

func.func @ui32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.not %0 : tensor<10xui32>
  check.expect_eq_const %r, dense<[4294967295, 4294967294, 4294967293, 4294967292, 4294967288, 4294967195, 0, 1, 4294967295, 4294967295]> : tensor<10xui32>
  return
}

func.func @ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 18446744073709551615, 18446744073709551614, 0, 0]> : tensor<10xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui64>
  %r = stablehlo.not %0 : tensor<10xui64>
  check.expect_eq_const %r, dense<[18446744073709551615, 18446744073709551614, 18446744073709551613, 18446744073709551612, 18446744073709551608, 18446744073709551515, 0, 1, 18446744073709551615, 18446744073709551615]> : tensor<10xui64>
  return
}
