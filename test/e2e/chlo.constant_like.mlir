// chlo.constant_like: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @i32_2_6() {
  %c0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xi32>
  %r = "chlo.constant_like"(%0) {value = 7 : i32} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[7, 7, 7], [7, 7, 7]]> : tensor<2x3xi32>
  return
}

func.func @i32_0_1() {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %r = "chlo.constant_like"(%0) {value = 7 : i32} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %r, dense<7> : tensor<i32>
  return
}

func.func @i32_2_0() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xi32>
  %r = "chlo.constant_like"(%0) {value = 7 : i32} : (tensor<0x2xi32>) -> tensor<0x2xi32>
  check.expect_eq_const %r, dense<> : tensor<0x2xi32>
  return
}

func.func @f32_2_6() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = "chlo.constant_like"(%0) {value = 2.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[2.5e+00, 2.5e+00, 2.5e+00], [2.5e+00, 2.5e+00, 2.5e+00]]> : tensor<2x3xf32>
  return
}

func.func @f32_0_1() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %r = "chlo.constant_like"(%0) {value = 2.5 : f32} : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<2.5e+00> : tensor<f32>
  return
}

func.func @f32_2_0() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %r = "chlo.constant_like"(%0) {value = 2.5 : f32} : (tensor<0x2xf32>) -> tensor<0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}

func.func @f64_2_6() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %r = "chlo.constant_like"(%0) {value = -1.0 : f64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_eq_const %r, dense<[[-1.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00]]> : tensor<2x3xf64>
  return
}

func.func @f64_0_1() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f64>
  %r = "chlo.constant_like"(%0) {value = -1.0 : f64} : (tensor<f64>) -> tensor<f64>
  check.expect_eq_const %r, dense<-1.0e+00> : tensor<f64>
  return
}

func.func @f64_2_0() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf64>
  %r = "chlo.constant_like"(%0) {value = -1.0 : f64} : (tensor<0x2xf64>) -> tensor<0x2xf64>
  check.expect_eq_const %r, dense<> : tensor<0x2xf64>
  return
}

func.func @bf16_2_6() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00]]> : tensor<2x3xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xbf16>
  %r = "chlo.constant_like"(%0) {value = 0.5 : bf16} : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  check.expect_eq_const %r, dense<[[5.000000e-01, 5.000000e-01, 5.000000e-01], [5.000000e-01, 5.000000e-01, 5.000000e-01]]> : tensor<2x3xbf16>
  return
}

func.func @bf16_0_1() {
  %c0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<bf16>
  %r = "chlo.constant_like"(%0) {value = 0.5 : bf16} : (tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %r, dense<5.000000e-01> : tensor<bf16>
  return
}

func.func @bf16_2_0() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xbf16>
  %r = "chlo.constant_like"(%0) {value = 0.5 : bf16} : (tensor<0x2xbf16>) -> tensor<0x2xbf16>
  check.expect_eq_const %r, dense<> : tensor<0x2xbf16>
  return
}
