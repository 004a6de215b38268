// if: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @taken() {
  %c0 = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i1>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.if"(%0) ({
    %t = stablehlo.add %1, %1 : tensor<3xf32>
    stablehlo.return %t : tensor<3xf32>
  }, {
    stablehlo.return %1 : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 2.0e+00, 4.0e+00]> : tensor<3xf32>
  return
}

func.func @not_taken() {
  %c0 = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i1>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.if"(%0) ({
    %t = stablehlo.add %1, %1 : tensor<3xf32>
    stablehlo.return %t : tensor<3xf32>
  }, {
    stablehlo.return %1 : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  return
}
