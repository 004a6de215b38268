// tuple: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @nested() {
  %c0 = stablehlo.constant dense<[1.0e+00, 2.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<3> : tensor<i32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i32>
  %inner = stablehlo.tuple %1 : tuple<tensor<i32>>
  %t = "stablehlo.tuple"(%0, %inner) : (tensor<2xf32>, tuple<tensor<i32>>) -> tuple<tensor<2xf32>, tuple<tensor<i32>>>
  %r0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tensor<2xf32>
  %u = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
  %r1 = stablehlo.get_tuple_element %u[0] : (tuple<tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %r0, dense<[1.0e+00, 2.0e+00]> : tensor<2xf32>
  check.expect_eq_const %r1, dense<3> : tensor<i32>
  return
}

func.func @of_nothing() {
  %c0 = stablehlo.constant dense<[1.0e+00, 2.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %t = "stablehlo.tuple"() : () -> tuple<>
  %r = stablehlo.negate %0 : tensor<2xf32>
  check.expect_eq_const %r, dense<[-1.0e+00, -2.0e+00]> : tensor<2xf32>
  return
}
