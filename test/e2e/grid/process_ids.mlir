// grid/process_ids: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @of_six() {
  %r0, %r1, %r2, %r3, %r4, %r5 = "interpreter.run_parallel"() {programs = [[@ids, @ids], [@ids, @ids], [@ids, @ids]]} : () -> (tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>, tensor<2xui32>)
  check.expect_eq_const %r0, dense<[0, 0]> : tensor<2xui32>
  check.expect_eq_const %r1, dense<[0, 1]> : tensor<2xui32>
  check.expect_eq_const %r2, dense<[1, 0]> : tensor<2xui32>
  check.expect_eq_const %r3, dense<[1, 1]> : tensor<2xui32>
  check.expect_eq_const %r4, dense<[2, 0]> : tensor<2xui32>
  check.expect_eq_const %r5, dense<[2, 1]> : tensor<2xui32>
  return
}

func.func private @ids() -> tensor<2xui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  %2 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
  %3 = stablehlo.reshape %1 : (tensor<ui32>) -> tensor<1xui32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
  return %4 : tensor<2xui32>
}
