// outfeed: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @goes_on_0() {
  %c0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi1>
  %token = stablehlo.create_token : !stablehlo.token
  %t = "stablehlo.outfeed"(%0, %token) {outfeed_config = "e2e"} : (tensor<2xi1>, !stablehlo.token) -> !stablehlo.token
  %u = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  %r = stablehlo.optimization_barrier %0 : tensor<2xi1>
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @goes_on_1() {
  %c0 = stablehlo.constant dense<[1.0e+00, 0x7FF8000000000000, -0.0e+00]> : tensor<3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf64>
  %token = stablehlo.create_token : !stablehlo.token
  %t = "stablehlo.outfeed"(%0, %token) {outfeed_config = "e2e"} : (tensor<3xf64>, !stablehlo.token) -> !stablehlo.token
  %u = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  %r = stablehlo.optimization_barrier %0 : tensor<3xf64>
  check.expect_eq_const %r, dense<[1.0e+00, 0x7FF8000000000000, -0.0e+00]> : tensor<3xf64>
  return
}

func.func @goes_on_2() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %token = stablehlo.create_token : !stablehlo.token
  %t = "stablehlo.outfeed"(%0, %token) {outfeed_config = "e2e"} : (tensor<0x2xf32>, !stablehlo.token) -> !stablehlo.token
  %u = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  %r = stablehlo.optimization_barrier %0 : tensor<0x2xf32>
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}

func.func @goes_on_3() {
  %c0 = stablehlo.constant dense<3> : tensor<i8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i8>
  %token = stablehlo.create_token : !stablehlo.token
  %t = "stablehlo.outfeed"(%0, %token) {outfeed_config = "e2e"} : (tensor<i8>, !stablehlo.token) -> !stablehlo.token
  %u = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  %r = stablehlo.optimization_barrier %0 : tensor<i8>
  check.expect_eq_const %r, dense<3> : tensor<i8>
  return
}

func.func @goes_on_4() {
  %c0 = stablehlo.constant dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xcomplex<f32>>
  %token = stablehlo.create_token : !stablehlo.token
  %t = "stablehlo.outfeed"(%0, %token) {outfeed_config = "e2e"} : (tensor<2x2xcomplex<f32>>, !stablehlo.token) -> !stablehlo.token
  %u = "stablehlo.outfeed"(%t) : (!stablehlo.token) -> !stablehlo.token
  %r = stablehlo.optimization_barrier %0 : tensor<2x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  return
}
