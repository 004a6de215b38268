// async_done: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @collective_permute() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xf32>
  %future = "stablehlo.async_start"(%0) ({
  ^bb0(%x: tensor<2x2xf32>):
    %done = "stablehlo.collective_permute"(%x)  {source_target_pairs = dense<0> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    stablehlo.return %done : tensor<2x2xf32>
  }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>
  %r = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  return
}
