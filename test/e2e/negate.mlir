// negate: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.negate %0 : tensor<10xi8>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -100, -127, -126, -128, 64]> : tensor<10xi8>
  return
}

func.func @i16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 32767, 32766, -32768, -16384]> : tensor<10xi16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi16>
  %r = stablehlo.negate %0 : tensor<10xi16>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -100, -32767, -32766, -32768, 16384]> : tensor<10xi16>
  return
}

func.func @i32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.negate %0 : tensor<10xi32>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -100, -2147483647, -2147483646, -2147483648, 1073741824]> : tensor<10xi32>
  return
}

func.func @i64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.negate %0 : tensor<10xi64>
  check.expect_eq_const %r, dense<[0, -1, -2, -3, -7, -100, -9223372036854775807, -9223372036854775806, -9223372036854775808, 4611686018427387904]> : tensor<10xi64>
  return
}

func.func @ui8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.negate %0 : tensor<10xui8>
  check.expect_eq_const %r, dense<[0, 255, 254, 253, 249, 156, 1, 2, 0, 0]> : tensor<10xui8>
  return
}

func.func @ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 65535, 65534, 0, 0]> : tensor<10xui16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui16>
  %r = stablehlo.negate %0 : tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 65535, 65534, 65533, 65529, 65436, 1, 2, 0, 0]> : tensor<10xui16>
  return
}

func.func @ui32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.negate %0 : tensor<10xui32>
  check.expect_eq_const %r, dense<[0, 4294967295, 4294967294, 4294967293, 4294967289, 4294967196, 1, 2, 0, 0]> : tensor<10xui32>
  return
}

func.func @ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 18446744073709551615, 18446744073709551614, 0, 0]> : tensor<10xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui64>
  %r = stablehlo.negate %0 : tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 18446744073709551615, 18446744073709551614, 18446744073709551613, 18446744073709551609, 18446744073709551516, 1, 2, 0, 0]> : tensor<10xui64>
  return
}

func.func @bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 9.994507e-04, -1.000000e+02, 0x7F80, 0xFF80, 0x7FC0]> : tensor<12xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xbf16>
  %r = stablehlo.negate %0 : tensor<12xbf16>
  check.expect_eq_const %r, dense<[-0.000000e+00, 0.000000e+00, -1.000000e+00, 1.000000e+00, -5.000000e-01, 2.500000e+00, -3.250000e+00, -9.994507e-04, 1.000000e+02, 0xFF80, 0x7F80, 0xFFC0]> : tensor<12xbf16>
  return
}

func.func @f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00, 5.000000e-01, -2.500000e+00, 3.250000e+00, 1.000404e-03, -1.000000e+02, 0x7C00, 0xFC00, 0x7E00]> : tensor<12xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf16>
  %r = stablehlo.negate %0 : tensor<12xf16>
  check.expect_eq_const %r, dense<[-0.000000e+00, 0.000000e+00, -1.000000e+00, 1.000000e+00, -5.000000e-01, 2.500000e+00, -3.250000e+00, -1.000404e-03, 1.000000e+02, 0xFC00, 0x7C00, 0xFE00]> : tensor<12xf16>
  return
}

func.func @f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0000000474974513e-03, -1.0e+02, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<12xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf32>
  %r = stablehlo.negate %0 : tensor<12xf32>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, -5.0e-01, 2.5e+00, -3.25e+00, -1.0000000474974513e-03, 1.0e+02, 0xFF800000, 0x7F800000, 0xFFC00000]> : tensor<12xf32>
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00, 5.0e-01, -2.5e+00, 3.25e+00, 1.0e-03, -1.0e+02, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<12xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xf64>
  %r = stablehlo.negate %0 : tensor<12xf64>
  check.expect_eq_const %r, dense<[-0.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, -5.0e-01, 2.5e+00, -3.25e+00, -1.0e-03, 1.0e+02, 0xFFF0000000000000, 0x7FF0000000000000, 0xFFF8000000000000]> : tensor<12xf64>
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f32>>
  %r = stablehlo.negate %0 : tensor<12xcomplex<f32>>
  check.expect_eq_const %r, dense<[(-0.0e+00, -2.5e-01), (-0.0e+00, 1.5e+00), (-1.0e+00, -2.5e-01), (-1.0e+00, 1.5e+00), (1.0e+00, -2.5e-01), (1.0e+00, 1.5e+00), (-5.0e-01, -2.5e-01), (-5.0e-01, 1.5e+00), (2.5e+00, -2.5e-01), (2.5e+00, 1.5e+00), (-3.25e+00, -2.5e-01), (-3.25e+00, 1.5e+00)]> : tensor<12xcomplex<f32>>
  return
}

func.func @complex_f64() {
  %c0 = stablehlo.constant dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00), (-1.0e+00, 2.5e-01), (-1.0e+00, -1.5e+00), (5.0e-01, 2.5e-01), (5.0e-01, -1.5e+00), (-2.5e+00, 2.5e-01), (-2.5e+00, -1.5e+00), (3.25e+00, 2.5e-01), (3.25e+00, -1.5e+00)]> : tensor<12xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<12xcomplex<f64>>
  %r = stablehlo.negate %0 : tensor<12xcomplex<f64>>
  check.expect_eq_const %r, dense<[(-0.0e+00, -2.5e-01), (-0.0e+00, 1.5e+00), (-1.0e+00, -2.5e-01), (-1.0e+00, 1.5e+00), (1.0e+00, -2.5e-01), (1.0e+00, 1.5e+00), (-5.0e-01, -2.5e-01), (-5.0e-01, 1.5e+00), (2.5e+00, -2.5e-01), (2.5e+00, 1.5e+00), (-3.25e+00, -2.5e-01), (-3.25e+00, 1.5e+00)]> : tensor<12xcomplex<f64>>
  return
}
