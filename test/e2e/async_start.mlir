// async_start: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @all_reduce() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xf32>
  %future = "stablehlo.async_start"(%0) ({
  ^bb0(%x: tensor<2x2xf32>):
    %done = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    stablehlo.return %done : tensor<2x2xf32>
  }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>
  %r = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  return
}

func.func @all_gather() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xf32>
  %future = "stablehlo.async_start"(%0) ({
  ^bb0(%x: tensor<2x2xf32>):
    %done = "stablehlo.all_gather"(%x)  {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    stablehlo.return %done : tensor<2x2xf32>
  }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>
  %r = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  return
}
