// iota: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i8() {
  %r = stablehlo.iota dim = 1 : tensor<2x3x2xi8>
  check.expect_eq_const %r, dense<[[[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1], [2, 2]]]> : tensor<2x3x2xi8>
  return
}

func.func @ui32() {
  %r = stablehlo.iota dim = 1 : tensor<2x3x2xui32>
  check.expect_eq_const %r, dense<[[[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1], [2, 2]]]> : tensor<2x3x2xui32>
  return
}

func.func @i64() {
  %r = stablehlo.iota dim = 1 : tensor<2x3x2xi64>
  check.expect_eq_const %r, dense<[[[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1], [2, 2]]]> : tensor<2x3x2xi64>
  return
}

func.func @bf16() {
  %r = stablehlo.iota dim = 1 : tensor<2x3x2xbf16>
  check.expect_eq_const %r, dense<[[[0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00], [2.000000e+00, 2.000000e+00]], [[0.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00], [2.000000e+00, 2.000000e+00]]]> : tensor<2x3x2xbf16>
  return
}

func.func @f32() {
  %r = stablehlo.iota dim = 1 : tensor<2x3x2xf32>
  check.expect_eq_const %r, dense<[[[0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00], [2.0e+00, 2.0e+00]], [[0.0e+00, 0.0e+00], [1.0e+00, 1.0e+00], [2.0e+00, 2.0e+00]]]> : tensor<2x3x2xf32>
  return
}

func.func @complex_f32() {
  %r = stablehlo.iota dim = 1 : tensor<2x3x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)], [(2.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)]], [[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)], [(2.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)]]]> : tensor<2x3x2xcomplex<f32>>
  return
}
