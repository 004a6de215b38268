// grid/all_reduce: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @ragged() {
  %c0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xi32>
  %c1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xi32>
  %c2 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<4xi32>
  %r0, %r1, %r2 = "interpreter.run_parallel"(%0, %1, %2) {programs = [[@ragged_program], [@ragged_program], [@ragged_program]]} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %r0, dense<[10, 12, 14, 16]> : tensor<4xi32>
  check.expect_eq_const %r1, dense<[5, 6, 7, 8]> : tensor<4xi32>
  check.expect_eq_const %r2, dense<[10, 12, 14, 16]> : tensor<4xi32>
  return
}

func.func private @ragged_program(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = "stablehlo.all_reduce"(%x)({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %s = stablehlo.add %a, %b : tensor<i32>
  stablehlo.return %s : tensor<i32>
}) {replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>} : (tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

func.func @pairs() {
  %c0 = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xi32>
  %c1 = stablehlo.constant dense<[[3], [4]]> : tensor<2x1xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x1xi32>
  %c2 = stablehlo.constant dense<[[5], [6]]> : tensor<2x1xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x1xi32>
  %c3 = stablehlo.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2x1xi32>
  %r0, %r1, %r2, %r3 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@pairs_program, @pairs_program], [@pairs_program, @pairs_program]]} : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>)
  check.expect_eq_const %r0, dense<[[6], [8]]> : tensor<2x1xi32>
  check.expect_eq_const %r1, dense<[[10], [12]]> : tensor<2x1xi32>
  check.expect_eq_const %r2, dense<[[6], [8]]> : tensor<2x1xi32>
  check.expect_eq_const %r3, dense<[[10], [12]]> : tensor<2x1xi32>
  return
}

func.func private @pairs_program(%x: tensor<2x1xi32>) -> tensor<2x1xi32> {
  %r = "stablehlo.all_reduce"(%x)({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %s = stablehlo.add %a, %b : tensor<i32>
  stablehlo.return %s : tensor<i32>
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x1xi32>) -> tensor<2x1xi32>
  return %r : tensor<2x1xi32>
}

func.func @everyone() {
  %c0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[4.0e+00, 5.0e+00, 6.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %c2 = stablehlo.constant dense<[7.0e+00, 8.0e+00, 9.0e+00]> : tensor<3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xf32>
  %c3 = stablehlo.constant dense<[1.0e+01, 1.1e+01, 1.2e+01]> : tensor<3xf32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<3xf32>
  %c4 = stablehlo.constant dense<[1.3e+01, 1.4e+01, 1.5e+01]> : tensor<3xf32>
  %4 = stablehlo.optimization_barrier %c4 : tensor<3xf32>
  %r0, %r1, %r2, %r3, %r4 = "interpreter.run_parallel"(%0, %1, %2, %3, %4) {programs = [[@everyone_program, @everyone_program, @everyone_program, @everyone_program, @everyone_program]]} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  check.expect_eq_const %r0, dense<[3.5e+01, 4.0e+01, 4.5e+01]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<[3.5e+01, 4.0e+01, 4.5e+01]> : tensor<3xf32>
  check.expect_eq_const %r2, dense<[3.5e+01, 4.0e+01, 4.5e+01]> : tensor<3xf32>
  check.expect_eq_const %r3, dense<[3.5e+01, 4.0e+01, 4.5e+01]> : tensor<3xf32>
  check.expect_eq_const %r4, dense<[3.5e+01, 4.0e+01, 4.5e+01]> : tensor<3xf32>
  return
}

func.func private @everyone_program(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = "stablehlo.all_reduce"(%x)({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32>
}) {replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
