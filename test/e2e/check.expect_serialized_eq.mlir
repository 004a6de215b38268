// check.expect_serialized_eq: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @two_values() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %a = "interpreter.probe"(%0) {probe_id = "expect_serialized_eq"} : (tensor<3xf32>) -> tensor<3xf32>
  %n = stablehlo.negate %a : tensor<3xf32>
  %b = "interpreter.probe"(%n) {probe_id = "expect_serialized_eq"} : (tensor<3xf32>) -> tensor<3xf32>
  "check.expect_serialized_eq"(%0) {probe_id = "expect_serialized_eq"} : (tensor<3xf32>) -> ()
  "check.expect_serialized_eq"(%b) {probe_id = "expect_serialized_eq", iteration = 1 : ui32} : (tensor<3xf32>) -> ()
  return
}
