// constant: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i1() {
  %r = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @i8() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xi8>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xi8>
  return
}

func.func @i16() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xi16>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xi16>
  return
}

func.func @i32() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xi32>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xi32>
  return
}

func.func @i64() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xi64>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xi64>
  return
}

func.func @ui8() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xui8>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xui8>
  return
}

func.func @ui16() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xui16>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xui16>
  return
}

func.func @ui32() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xui32>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xui32>
  return
}

func.func @ui64() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xui64>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xui64>
  return
}

func.func @bf16() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xbf16>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xbf16>
  return
}

func.func @f16() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf16>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf16>
  return
}

func.func @f32() {
  %r = stablehlo.constant dense<[1.0e+00, 0.0e+00, 3.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r, dense<[1.0e+00, 0.0e+00, 3.0e+00]> : tensor<3xf32>
  return
}

func.func @f64() {
  %r = stablehlo.constant dense<[1.0e+00, 0.0e+00, 3.0e+00]> : tensor<3xf64>
  check.expect_eq_const %r, dense<[1.0e+00, 0.0e+00, 3.0e+00]> : tensor<3xf64>
  return
}

func.func @complex_f32() {
  %r = stablehlo.constant dense<[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (3.0e+00, 0.0e+00)]> : tensor<3xcomplex<f32>>
  check.expect_eq_const %r, dense<[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (3.0e+00, 0.0e+00)]> : tensor<3xcomplex<f32>>
  return
}

func.func @complex_f64() {
  %r = stablehlo.constant dense<[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (3.0e+00, 0.0e+00)]> : tensor<3xcomplex<f64>>
  check.expect_eq_const %r, dense<[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (3.0e+00, 0.0e+00)]> : tensor<3xcomplex<f64>>
  return
}

func.func @i2() {
  %r = stablehlo.constant dense<[0, 1]> : tensor<2xi2>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xi2>
  return
}

func.func @i4() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xi4>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xi4>
  return
}

func.func @ui2() {
  %r = stablehlo.constant dense<[0, 1]> : tensor<2xui2>
  check.expect_eq_const %r, dense<[0, 1]> : tensor<2xui2>
  return
}

func.func @ui4() {
  %r = stablehlo.constant dense<[1, 0, 3]> : tensor<3xui4>
  check.expect_eq_const %r, dense<[1, 0, 3]> : tensor<3xui4>
  return
}

func.func @f8E3M4() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E3M4>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E3M4>
  return
}

func.func @f8E4M3() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3>
  return
}

func.func @f8E4M3FN() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3FN>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3FN>
  return
}

func.func @f8E4M3FNUZ() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3FNUZ>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3FNUZ>
  return
}

func.func @f8E4M3B11FNUZ() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3B11FNUZ>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E4M3B11FNUZ>
  return
}

func.func @f8E5M2() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E5M2>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E5M2>
  return
}

func.func @f8E5M2FNUZ() {
  %r = stablehlo.constant dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E5M2FNUZ>
  check.expect_eq_const %r, dense<[1.000000e+00, 0.000000e+00, 3.000000e+00]> : tensor<3xf8E5M2FNUZ>
  return
}

func.func @special() {
  %r = stablehlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.0e+00]> : tensor<4xf32>
  check.expect_eq_const %r, dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.0e+00]> : tensor<4xf32>
  return
}

func.func @bytes() {
  %r = stablehlo.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32>
  check.expect_eq_const %r, dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  return
}

func.func @splat() {
  %r = stablehlo.constant dense<7> : tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[7, 7, 7], [7, 7, 7]]> : tensor<2x3xi32>
  return
}

func.func @empty() {
  %r = stablehlo.constant dense<> : tensor<0x4xi8>
  check.expect_eq_const %r, dense<> : tensor<0x4xi8>
  return
}
