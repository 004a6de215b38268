// select: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @elementwise() {
  %c0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xi1>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %c2 = stablehlo.constant dense<[-1.0e+00, -2.0e+00, -3.0e+00]> : tensor<3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xf32>
  %r = stablehlo.select %0, %1, %2 : tensor<3xi1>, tensor<3xf32>
  check.expect_eq_const %r, dense<[1.0e+00, -2.0e+00, 3.0e+00]> : tensor<3xf32>
  return
}

func.func @scalar_predicate() {
  %c0 = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i1>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %c2 = stablehlo.constant dense<[-1.0e+00, -2.0e+00, -3.0e+00]> : tensor<3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xf32>
  %r = stablehlo.select %0, %1, %2 : tensor<i1>, tensor<3xf32>
  check.expect_eq_const %r, dense<[-1.0e+00, -2.0e+00, -3.0e+00]> : tensor<3xf32>
  return
}
