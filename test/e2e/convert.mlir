// convert: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i1_to_i8() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xi8>
  check.expect_eq_const %r, dense<[0, 1, 1, 0]> : tensor<4xi8>
  return
}

func.func @i1_to_ui16() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xui16>
  check.expect_eq_const %r, dense<[0, 1, 1, 0]> : tensor<4xui16>
  return
}

func.func @i1_to_i32() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[0, 1, 1, 0]> : tensor<4xi32>
  return
}

func.func @i1_to_ui64() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xui64>
  check.expect_eq_const %r, dense<[0, 1, 1, 0]> : tensor<4xui64>
  return
}

func.func @i1_to_bf16() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00]> : tensor<4xbf16>
  return
}

func.func @i1_to_f16() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00]> : tensor<4xf16>
  return
}

func.func @i1_to_f32() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 0.0e+00]> : tensor<4xf32>
  return
}

func.func @i1_to_f64() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 1.0e+00, 0.0e+00]> : tensor<4xf64>
  return
}

func.func @i1_to_complex_f32() {
  %c0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi1>
  %r = stablehlo.convert %0 : (tensor<4xi1>) -> tensor<4xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<4xcomplex<f32>>
  return
}

func.func @i8_to_i1() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, true, true]> : tensor<10xi1>
  return
}

func.func @i8_to_ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 127, 126, 65408, 65472]> : tensor<10xui16>
  return
}

func.func @i8_to_i32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi32>
  return
}

func.func @i8_to_ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 127, 126, 18446744073709551488, 18446744073709551552]> : tensor<10xui64>
  return
}

func.func @i8_to_bf16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 1.270000e+02, 1.260000e+02, -1.280000e+02, -6.400000e+01]> : tensor<10xbf16>
  return
}

func.func @i8_to_f16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 1.270000e+02, 1.260000e+02, -1.280000e+02, -6.400000e+01]> : tensor<10xf16>
  return
}

func.func @i8_to_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 1.27e+02, 1.26e+02, -1.28e+02, -6.4e+01]> : tensor<10xf32>
  return
}

func.func @i8_to_f64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 1.27e+02, 1.26e+02, -1.28e+02, -6.4e+01]> : tensor<10xf64>
  return
}

func.func @i8_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 127, 126, -128, -64]> : tensor<10xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi8>
  %r = stablehlo.convert %0 : (tensor<10xi8>) -> tensor<10xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.0e+02, 0.0e+00), (1.27e+02, 0.0e+00), (1.26e+02, 0.0e+00), (-1.28e+02, 0.0e+00), (-6.4e+01, 0.0e+00)]> : tensor<10xcomplex<f32>>
  return
}

func.func @ui8_to_i1() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, false, false]> : tensor<10xi1>
  return
}

func.func @ui8_to_i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, -1, -2, 0, 0]> : tensor<10xi8>
  return
}

func.func @ui8_to_ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui16>
  return
}

func.func @ui8_to_i32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xi32>
  return
}

func.func @ui8_to_ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui64>
  return
}

func.func @ui8_to_bf16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 2.550000e+02, 2.540000e+02, 0.000000e+00, 0.000000e+00]> : tensor<10xbf16>
  return
}

func.func @ui8_to_f16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 2.550000e+02, 2.540000e+02, 0.000000e+00, 0.000000e+00]> : tensor<10xf16>
  return
}

func.func @ui8_to_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 2.55e+02, 2.54e+02, 0.0e+00, 0.0e+00]> : tensor<10xf32>
  return
}

func.func @ui8_to_f64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 2.55e+02, 2.54e+02, 0.0e+00, 0.0e+00]> : tensor<10xf64>
  return
}

func.func @ui8_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 255, 254, 0, 0]> : tensor<10xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui8>
  %r = stablehlo.convert %0 : (tensor<10xui8>) -> tensor<10xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.0e+02, 0.0e+00), (2.55e+02, 0.0e+00), (2.54e+02, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<10xcomplex<f32>>
  return
}

func.func @i32_to_i1() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, true, true]> : tensor<10xi1>
  return
}

func.func @i32_to_i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, -1, -2, 0, 0]> : tensor<10xi8>
  return
}

func.func @i32_to_ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 65535, 65534, 0, 0]> : tensor<10xui16>
  return
}

func.func @i32_to_ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, 18446744071562067968, 18446744072635809792]> : tensor<10xui64>
  return
}

func.func @i32_to_bf16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 2.147484e+09, 2.147484e+09, -2.147484e+09, -1.073742e+09]> : tensor<10xbf16>
  return
}

func.func @i32_to_f16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 0x7C00, 0x7C00, 0xFC00, 0xFC00]> : tensor<10xf16>
  return
}

func.func @i32_to_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 2.147483648e+09, 2.147483648e+09, -2.147483648e+09, -1.073741824e+09]> : tensor<10xf32>
  return
}

func.func @i32_to_f64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 2.147483647e+09, 2.147483646e+09, -2.147483648e+09, -1.073741824e+09]> : tensor<10xf64>
  return
}

func.func @i32_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 2147483647, 2147483646, -2147483648, -1073741824]> : tensor<10xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi32>
  %r = stablehlo.convert %0 : (tensor<10xi32>) -> tensor<10xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.0e+02, 0.0e+00), (2.147483648e+09, 0.0e+00), (2.147483648e+09, 0.0e+00), (-2.147483648e+09, 0.0e+00), (-1.073741824e+09, 0.0e+00)]> : tensor<10xcomplex<f32>>
  return
}

func.func @ui32_to_i1() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, false, false]> : tensor<10xi1>
  return
}

func.func @ui32_to_i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, -1, -2, 0, 0]> : tensor<10xi8>
  return
}

func.func @ui32_to_ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 65535, 65534, 0, 0]> : tensor<10xui16>
  return
}

func.func @ui32_to_i32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, -1, -2, 0, 0]> : tensor<10xi32>
  return
}

func.func @ui32_to_ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui64>
  return
}

func.func @ui32_to_bf16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 4.294967e+09, 4.294967e+09, 0.000000e+00, 0.000000e+00]> : tensor<10xbf16>
  return
}

func.func @ui32_to_f16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 0x7C00, 0x7C00, 0.000000e+00, 0.000000e+00]> : tensor<10xf16>
  return
}

func.func @ui32_to_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 4.294967296e+09, 4.294967296e+09, 0.0e+00, 0.0e+00]> : tensor<10xf32>
  return
}

func.func @ui32_to_f64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 4.294967295e+09, 4.294967294e+09, 0.0e+00, 0.0e+00]> : tensor<10xf64>
  return
}

func.func @ui32_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 4294967295, 4294967294, 0, 0]> : tensor<10xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xui32>
  %r = stablehlo.convert %0 : (tensor<10xui32>) -> tensor<10xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.0e+02, 0.0e+00), (4.294967296e+09, 0.0e+00), (4.294967296e+09, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)]> : tensor<10xcomplex<f32>>
  return
}

func.func @i64_to_i1() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true, true, true, true, true]> : tensor<10xi1>
  return
}

func.func @i64_to_i8() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, -1, -2, 0, 0]> : tensor<10xi8>
  return
}

func.func @i64_to_ui16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xui16>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 65535, 65534, 0, 0]> : tensor<10xui16>
  return
}

func.func @i64_to_i32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xi32>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, -1, -2, 0, 0]> : tensor<10xi32>
  return
}

func.func @i64_to_ui64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xui64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, 9223372036854775808, 13835058055282163712]> : tensor<10xui64>
  return
}

func.func @i64_to_bf16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 9.223372e+18, 9.223372e+18, -9.223372e+18, -4.611686e+18]> : tensor<10xbf16>
  return
}

func.func @i64_to_f16() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 7.000000e+00, 1.000000e+02, 0x7C00, 0x7C00, 0xFC00, 0xFC00]> : tensor<10xf16>
  return
}

func.func @i64_to_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 9.223372036854776e+18, 9.223372036854776e+18, -9.223372036854776e+18, -4.611686018427388e+18]> : tensor<10xf32>
  return
}

func.func @i64_to_f64() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 7.0e+00, 1.0e+02, 9.223372036854776e+18, 9.223372036854776e+18, -9.223372036854776e+18, -4.611686018427388e+18]> : tensor<10xf64>
  return
}

func.func @i64_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0, 1, 2, 3, 7, 100, 9223372036854775807, 9223372036854775806, -9223372036854775808, -4611686018427387904]> : tensor<10xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<10xi64>
  %r = stablehlo.convert %0 : (tensor<10xi64>) -> tensor<10xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (3.0e+00, 0.0e+00), (7.0e+00, 0.0e+00), (1.0e+02, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (9.223372036854776e+18, 0.0e+00), (-9.223372036854776e+18, 0.0e+00), (-4.611686018427388e+18, 0.0e+00)]> : tensor<10xcomplex<f32>>
  return
}

func.func @bf16_to_i1() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true]> : tensor<6xi1>
  return
}

func.func @bf16_to_i8() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xi8>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 121]> : tensor<6xi8>
  return
}

func.func @bf16_to_ui16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xui16>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 121]> : tensor<6xui16>
  return
}

func.func @bf16_to_i32() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 121]> : tensor<6xi32>
  return
}

func.func @bf16_to_ui64() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xui64>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 121]> : tensor<6xui64>
  return
}

func.func @bf16_to_f16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xf16>
  return
}

func.func @bf16_to_f32() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.21e+02]> : tensor<6xf32>
  return
}

func.func @bf16_to_f64() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.21e+02]> : tensor<6xf64>
  return
}

func.func @bf16_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (5.0e-01, 0.0e+00), (3.25e+00, 0.0e+00), (1.0e+02, 0.0e+00), (1.21e+02, 0.0e+00)]> : tensor<6xcomplex<f32>>
  return
}

func.func @f16_to_i1() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true]> : tensor<6xi1>
  return
}

func.func @f16_to_i8() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xi8>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xi8>
  return
}

func.func @f16_to_ui16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xui16>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xui16>
  return
}

func.func @f16_to_i32() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xi32>
  return
}

func.func @f16_to_ui64() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xui64>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xui64>
  return
}

func.func @f16_to_bf16() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  return
}

func.func @f16_to_f32() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  return
}

func.func @f16_to_f64() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  return
}

func.func @f16_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf16>
  %r = stablehlo.convert %0 : (tensor<6xf16>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (5.0e-01, 0.0e+00), (3.25e+00, 0.0e+00), (1.0e+02, 0.0e+00), (1.2075e+02, 0.0e+00)]> : tensor<6xcomplex<f32>>
  return
}

func.func @f32_to_i1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true]> : tensor<6xi1>
  return
}

func.func @f32_to_i8() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xi8>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xi8>
  return
}

func.func @f32_to_ui16() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xui16>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xui16>
  return
}

func.func @f32_to_i32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xi32>
  return
}

func.func @f32_to_ui64() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xui64>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xui64>
  return
}

func.func @f32_to_bf16() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  return
}

func.func @f32_to_f16() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  return
}

func.func @f32_to_f64() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xf64>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  return
}

func.func @f32_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf32>
  %r = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (5.0e-01, 0.0e+00), (3.25e+00, 0.0e+00), (1.0e+02, 0.0e+00), (1.2075e+02, 0.0e+00)]> : tensor<6xcomplex<f32>>
  return
}

func.func @f64_to_i1() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xi1>
  check.expect_eq_const %r, dense<[false, true, true, true, true, true]> : tensor<6xi1>
  return
}

func.func @f64_to_i8() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xi8>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xi8>
  return
}

func.func @f64_to_ui16() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xui16>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xui16>
  return
}

func.func @f64_to_i32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xi32>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xi32>
  return
}

func.func @f64_to_ui64() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xui64>
  check.expect_eq_const %r, dense<[0, 1, 0, 3, 100, 120]> : tensor<6xui64>
  return
}

func.func @f64_to_bf16() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.210000e+02]> : tensor<6xbf16>
  return
}

func.func @f64_to_f16() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xf16>
  check.expect_eq_const %r, dense<[0.000000e+00, 1.000000e+00, 5.000000e-01, 3.250000e+00, 1.000000e+02, 1.207500e+02]> : tensor<6xf16>
  return
}

func.func @f64_to_f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf32>
  return
}

func.func @f64_to_complex_f32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 5.0e-01, 3.25e+00, 1.0e+02, 1.2075e+02]> : tensor<6xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6xf64>
  %r = stablehlo.convert %0 : (tensor<6xf64>) -> tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (5.0e-01, 0.0e+00), (3.25e+00, 0.0e+00), (1.0e+02, 0.0e+00), (1.2075e+02, 0.0e+00)]> : tensor<6xcomplex<f32>>
  return
}
