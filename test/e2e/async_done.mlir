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

func.func @several_float32() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %future = "stablehlo.async_start"(%0) ({
  ^bb0(%x: tensor<3xf32>):
    %done:2 = "stablehlo.all_reduce"(%x, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    stablehlo.return %done#0, %done#1 : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<3xf32>) -> !stablehlo.future<tensor<3xf32>, tensor<3xf32>>
  %r0, %r1 = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<3xf32>, tensor<3xf32>>) -> (tensor<3xf32>, tensor<3xf32>)
  check.expect_eq_const %r0, dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  return
}

func.func @several_int4() {
  %c0 = stablehlo.constant dense<[1, -2, 7]> : tensor<3xi4>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xi4>
  %future = "stablehlo.async_start"(%0) ({
  ^bb0(%x: tensor<3xi4>):
    %done:2 = "stablehlo.all_reduce"(%x, %x) ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %s = stablehlo.add %a, %b : tensor<i4>
    stablehlo.return %s : tensor<i4>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<3xi4>, tensor<3xi4>) -> (tensor<3xi4>, tensor<3xi4>)
    stablehlo.return %done#0, %done#1 : tensor<3xi4>, tensor<3xi4>
  }) : (tensor<3xi4>) -> !stablehlo.future<tensor<3xi4>, tensor<3xi4>>
  %r0, %r1 = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<3xi4>, tensor<3xi4>>) -> (tensor<3xi4>, tensor<3xi4>)
  check.expect_eq_const %r0, dense<[1, -2, 7]> : tensor<3xi4>
  check.expect_eq_const %r1, dense<[1, -2, 7]> : tensor<3xi4>
  return
}

func.func @several_float8_e4m3fn() {
  %c0 = stablehlo.constant dense<[1.000000e+00, 1.000000e+00]> : tensor<2xf8E4M3FN>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf8E4M3FN>
  %future = "stablehlo.async_start"(%0) ({
  ^bb0(%x: tensor<2xf8E4M3FN>):
    %done:2 = "stablehlo.all_reduce"(%x, %x) ({
  ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
    %s = stablehlo.add %a, %b : tensor<f8E4M3FN>
    stablehlo.return %s : tensor<f8E4M3FN>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>) -> (tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>)
    stablehlo.return %done#0, %done#1 : tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>
  }) : (tensor<2xf8E4M3FN>) -> !stablehlo.future<tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>>
  %r0, %r1 = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>>) -> (tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>)
  check.expect_eq_const %r0, dense<[1.000000e+00, 1.000000e+00]> : tensor<2xf8E4M3FN>
  check.expect_eq_const %r1, dense<[1.000000e+00, 1.000000e+00]> : tensor<2xf8E4M3FN>
  return
}
