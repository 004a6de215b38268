// partition_id: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @alone() {
  %r = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %r, dense<0> : tensor<ui32>
  return
}
