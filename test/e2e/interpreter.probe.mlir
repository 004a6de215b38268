// interpreter.probe: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @probe_0() {
  %c0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi1>
  %r = "interpreter.probe"(%0) {probe_id = "probe_0"} : (tensor<2xi1>) -> tensor<2xi1>
  "check.expect_serialized_eq"(%r) {probe_id = "probe_0"} : (tensor<2xi1>) -> ()
  check.expect_eq_const %r, dense<[true, false]> : tensor<2xi1>
  return
}

func.func @probe_1() {
  %c0 = stablehlo.constant dense<[1.0e+00, 0x7FF8000000000000, -0.0e+00]> : tensor<3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf64>
  %r = "interpreter.probe"(%0) {probe_id = "probe_1"} : (tensor<3xf64>) -> tensor<3xf64>
  "check.expect_serialized_eq"(%r) {probe_id = "probe_1"} : (tensor<3xf64>) -> ()
  check.expect_eq_const %r, dense<[1.0e+00, 0x7FF8000000000000, -0.0e+00]> : tensor<3xf64>
  return
}

func.func @probe_2() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %r = "interpreter.probe"(%0) {probe_id = "probe_2"} : (tensor<0x2xf32>) -> tensor<0x2xf32>
  "check.expect_serialized_eq"(%r) {probe_id = "probe_2"} : (tensor<0x2xf32>) -> ()
  check.expect_eq_const %r, dense<> : tensor<0x2xf32>
  return
}

func.func @probe_3() {
  %c0 = stablehlo.constant dense<3> : tensor<i8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i8>
  %r = "interpreter.probe"(%0) {probe_id = "probe_3"} : (tensor<i8>) -> tensor<i8>
  "check.expect_serialized_eq"(%r) {probe_id = "probe_3"} : (tensor<i8>) -> ()
  check.expect_eq_const %r, dense<3> : tensor<i8>
  return
}

func.func @probe_4() {
  %c0 = stablehlo.constant dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xcomplex<f32>>
  %r = "interpreter.probe"(%0) {probe_id = "probe_4"} : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  "check.expect_serialized_eq"(%r) {probe_id = "probe_4"} : (tensor<2x2xcomplex<f32>>) -> ()
  check.expect_eq_const %r, dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  return
}
