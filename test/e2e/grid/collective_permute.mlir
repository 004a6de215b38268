// grid/collective_permute: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @circle() {
  %c0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xi32>
  %c1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xi32>
  %c2 = stablehlo.constant dense<[[9, 10], [11, 12]]> : tensor<2x2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x2xi32>
  %r0, %r1, %r2 = "interpreter.run_parallel"(%0, %1, %2) {programs = [[@circle_program], [@circle_program], [@circle_program]]} : (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %r0, dense<[[9, 10], [11, 12]]> : tensor<2x2xi32>
  check.expect_eq_const %r1, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  check.expect_eq_const %r2, dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  return
}

func.func private @circle_program(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %r = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

func.func @loops() {
  %c0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi32>
  %c1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi32>
  %c2 = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi32>
  %c3 = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2xi32>
  %c4 = stablehlo.constant dense<[9, 10]> : tensor<2xi32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<2xi32>
  %r0, %r1, %r2, %r3, %r4 = "interpreter.run_parallel"(%0, %1, %2, %3, %4) {programs = [[@loops_program, @loops_program, @loops_program, @loops_program, @loops_program]]} : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r0, dense<[0, 0]> : tensor<2xi32>
  check.expect_eq_const %r1, dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %r2, dense<[3, 4]> : tensor<2xi32>
  check.expect_eq_const %r3, dense<[7, 8]> : tensor<2xi32>
  check.expect_eq_const %r4, dense<[0, 0]> : tensor<2xi32>
  return
}

func.func private @loops_program(%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2], [3, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
