// grid/collective_broadcast: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @some() {
  %c0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xi32>
  %c1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xi32>
  %c2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<1x2xi32>
  %c3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<1x2xi32>
  %r0, %r1, %r2, %r3 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@some_program], [@some_program], [@some_program], [@some_program]]} : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
  check.expect_eq_const %r0, dense<[[0, 0]]> : tensor<1x2xi32>
  check.expect_eq_const %r1, dense<[[5, 6]]> : tensor<1x2xi32>
  check.expect_eq_const %r2, dense<[[5, 6]]> : tensor<1x2xi32>
  check.expect_eq_const %r3, dense<[[0, 0]]> : tensor<1x2xi32>
  return
}

func.func private @some_program(%x: tensor<1x2xi32>) -> tensor<1x2xi32> {
  %r = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<1x2xi32>) -> tensor<1x2xi32>
  return %r : tensor<1x2xi32>
}

func.func @partitions() {
  %c0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xi32>
  %c1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xi32>
  %c2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<1x2xi32>
  %c3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<1x2xi32>
  %r0, %r1, %r2, %r3 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@partitions_program, @partitions_program], [@partitions_program, @partitions_program]]} : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>)
  check.expect_eq_const %r0, dense<[[3, 4]]> : tensor<1x2xi32>
  check.expect_eq_const %r1, dense<[[3, 4]]> : tensor<1x2xi32>
  check.expect_eq_const %r2, dense<[[7, 8]]> : tensor<1x2xi32>
  check.expect_eq_const %r3, dense<[[7, 8]]> : tensor<1x2xi32>
  return
}

func.func private @partitions_program(%x: tensor<1x2xi32>) -> tensor<1x2xi32> {
  %r = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<1x2xi32>) -> tensor<1x2xi32>
  return %r : tensor<1x2xi32>
}
