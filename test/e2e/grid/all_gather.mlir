// grid/all_gather: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @replicas() {
  %c0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xi32>
  %c1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xi32>
  %r0, %r1 = "interpreter.run_parallel"(%0, %1) {programs = [[@replicas_program], [@replicas_program]]} : (tensor<2x2xi32>, tensor<2x2xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>)
  check.expect_eq_const %r0, dense<[[5, 6, 1, 2], [7, 8, 3, 4]]> : tensor<2x4xi32>
  check.expect_eq_const %r1, dense<[[5, 6, 1, 2], [7, 8, 3, 4]]> : tensor<2x4xi32>
  return
}

func.func private @replicas_program(%x: tensor<2x2xi32>) -> tensor<2x4xi32> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2x2xi32>) -> tensor<2x4xi32>
  return %r : tensor<2x4xi32>
}

func.func @all() {
  %c0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xi32>
  %c1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xi32>
  %c2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<1x2xi32>
  %c3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<1x2xi32>
  %r0, %r1, %r2, %r3 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@all_program, @all_program], [@all_program, @all_program]]} : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> (tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>)
  check.expect_eq_const %r0, dense<[[5, 6, 1, 2, 7, 8, 3, 4]]> : tensor<1x8xi32>
  check.expect_eq_const %r1, dense<[[5, 6, 1, 2, 7, 8, 3, 4]]> : tensor<1x8xi32>
  check.expect_eq_const %r2, dense<[[5, 6, 1, 2, 7, 8, 3, 4]]> : tensor<1x8xi32>
  check.expect_eq_const %r3, dense<[[5, 6, 1, 2, 7, 8, 3, 4]]> : tensor<1x8xi32>
  return
}

func.func private @all_program(%x: tensor<1x2xi32>) -> tensor<1x8xi32> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<1x2xi32>) -> tensor<1x8xi32>
  return %r : tensor<1x8xi32>
}

func.func @numbers() {
  %c0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xi32>
  %c1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xi32>
  %c2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<1x2xi32>
  %c3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<1x2xi32>
  %r0, %r1, %r2, %r3 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@numbers_program, @numbers_program], [@numbers_program, @numbers_program]]} : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> (tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>, tensor<1x4xi32>)
  check.expect_eq_const %r0, dense<[[1, 2, 7, 8]]> : tensor<1x4xi32>
  check.expect_eq_const %r1, dense<[[5, 6, 3, 4]]> : tensor<1x4xi32>
  check.expect_eq_const %r2, dense<[[5, 6, 3, 4]]> : tensor<1x4xi32>
  check.expect_eq_const %r3, dense<[[1, 2, 7, 8]]> : tensor<1x4xi32>
  return
}

func.func private @numbers_program(%x: tensor<1x2xi32>) -> tensor<1x4xi32> {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<1x2xi32>) -> tensor<1x4xi32>
  return %r : tensor<1x4xi32>
}
