// grid/reduce_scatter: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @replicas() {
  %c0 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x2xi32>
  %c1 = stablehlo.constant dense<[[9, 10], [11, 12], [13, 14], [15, 16]]> : tensor<4x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x2xi32>
  %r0, %r1 = "interpreter.run_parallel"(%0, %1) {programs = [[@replicas_program], [@replicas_program]]} : (tensor<4x2xi32>, tensor<4x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %r0, dense<[[18, 20], [22, 24]]> : tensor<2x2xi32>
  check.expect_eq_const %r1, dense<[[10, 12], [14, 16]]> : tensor<2x2xi32>
  return
}

func.func private @replicas_program(%x: tensor<4x2xi32>) -> tensor<2x2xi32> {
  %r = "stablehlo.reduce_scatter"(%x)({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %s = stablehlo.add %a, %b : tensor<i32>
  stablehlo.return %s : tensor<i32>
}) {scatter_dimension = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<4x2xi32>) -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

func.func @all() {
  %c0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi32>
  %c1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xi32>
  %c2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xi32>
  %c3 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<4xi32>
  %r0, %r1, %r2, %r3 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@all_program, @all_program], [@all_program, @all_program]]} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
  check.expect_eq_const %r0, dense<[28]> : tensor<1xi32>
  check.expect_eq_const %r1, dense<[36]> : tensor<1xi32>
  check.expect_eq_const %r2, dense<[32]> : tensor<1xi32>
  check.expect_eq_const %r3, dense<[40]> : tensor<1xi32>
  return
}

func.func private @all_program(%x: tensor<4xi32>) -> tensor<1xi32> {
  %r = "stablehlo.reduce_scatter"(%x)({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %s = stablehlo.add %a, %b : tensor<i32>
  stablehlo.return %s : tensor<i32>
}) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xi32>) -> tensor<1xi32>
  return %r : tensor<1xi32>
}
