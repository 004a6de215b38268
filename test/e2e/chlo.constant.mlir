// chlo.constant: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i1() {
  %r = "chlo.constant"() {value = dense<[false, true, true, false]> : tensor<4xi1>} : () -> tensor<4xi1>
  check.expect_eq_const %r, dense<[false, true, true, false]> : tensor<4xi1>
  return
}

func.func @i8() {
  %r = "chlo.constant"() {value = dense<[0, 1, 2, 3]> : tensor<4xi8>} : () -> tensor<4xi8>
  check.expect_eq_const %r, dense<[0, 1, 2, 3]> : tensor<4xi8>
  return
}

func.func @ui32() {
  %r = "chlo.constant"() {value = dense<[0, 1, 2, 3]> : tensor<4xui32>} : () -> tensor<4xui32>
  check.expect_eq_const %r, dense<[0, 1, 2, 3]> : tensor<4xui32>
  return
}

func.func @i64() {
  %r = "chlo.constant"() {value = dense<[0, 1, 2, 3]> : tensor<4xi64>} : () -> tensor<4xi64>
  check.expect_eq_const %r, dense<[0, 1, 2, 3]> : tensor<4xi64>
  return
}

func.func @bf16() {
  %r = "chlo.constant"() {value = dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00]> : tensor<4xbf16>} : () -> tensor<4xbf16>
  check.expect_eq_const %r, dense<[0.000000e+00, -0.000000e+00, 1.000000e+00, -1.000000e+00]> : tensor<4xbf16>
  return
}

func.func @f32() {
  %r = "chlo.constant"() {value = dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00]> : tensor<4xf32>} : () -> tensor<4xf32>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00]> : tensor<4xf32>
  return
}

func.func @f64() {
  %r = "chlo.constant"() {value = dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00]> : tensor<4xf64>} : () -> tensor<4xf64>
  check.expect_eq_const %r, dense<[0.0e+00, -0.0e+00, 1.0e+00, -1.0e+00]> : tensor<4xf64>
  return
}

func.func @complex_f32() {
  %r = "chlo.constant"() {value = dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00)]> : tensor<4xcomplex<f32>>} : () -> tensor<4xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0.0e+00, 2.5e-01), (0.0e+00, -1.5e+00), (1.0e+00, 2.5e-01), (1.0e+00, -1.5e+00)]> : tensor<4xcomplex<f32>>
  return
}
