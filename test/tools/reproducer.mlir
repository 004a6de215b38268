// RUN: hlo-opt %s --reproducer=%t.ours --eliminate-dead-code --fold-constants='limit=7' -o /dev/null
// RUN: hlo-opt %t.ours --run-reproducer --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefixes=OURS,CHECK
// RUN: hlo-opt %s --run-reproducer --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefixes=THEIRS,CHECK
// RUN: not hlo-opt %s --run-reproducer --cse 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: hlo-opt %s --cse --mlir-pass-pipeline-crash-reproducer=%t.crash -o /dev/null && not test -e %t.crash
// RUN: not hlo-opt %s --stablehlo-to-linalg --load-pass=%S/inputs/refuse_all.py --refuse-all --mlir-print-ir-after-failure --mlir-pass-pipeline-crash-reproducer=%t.crash --mlir-pass-pipeline-local-reproducer 2>&1 | FileCheck %s --check-prefix=FAILED
// RUN: FileCheck %s --check-prefix=LOCAL < %t.crash

// OURS: builtin.module(eliminate-dead-code,fold-constants{limit=7})
// THEIRS: builtin.module(eliminate-dead-code)
// CHECK-NOT: stablehlo.multiply
// BOTH: the input names the pipeline: give no passes
// FAILED: IR Dump After Failure of refuse-all
// FAILED: no module is good enough
// LOCAL: {{RUN}}: hlo-opt %s --pass-pipeline='builtin.module(refuse-all)'
// LOCAL: linalg.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %d = stablehlo.multiply %x, %x : tensor<4xf32>
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(eliminate-dead-code)",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
