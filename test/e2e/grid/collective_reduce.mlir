// grid/collective_reduce: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @to_a_root() {
  %c0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi32>
  %c1 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi32>
  %c2 = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2xi32>
  %r0, %r1, %r2 = "interpreter.run_parallel"(%0, %1, %2) {programs = [[@to_a_root_program], [@to_a_root_program], [@to_a_root_program]]} : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %r0, dense<[0, 0]> : tensor<2xi32>
  check.expect_eq_const %r1, dense<[0, 0]> : tensor<2xi32>
  check.expect_eq_const %r2, dense<[6, 8]> : tensor<2xi32>
  return
}

func.func private @to_a_root_program(%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = "stablehlo.collective_reduce"(%x)({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %s = stablehlo.add %a, %b : tensor<i32>
  stablehlo.return %s : tensor<i32>
}) {replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
