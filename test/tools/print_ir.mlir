// RUN: hlo-opt %s --mlir-print-ir-after-all --eliminate-dead-code --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: hlo-opt %s --mlir-print-ir-before=cse --eliminate-dead-code --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: hlo-opt %s --mlir-timing --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: hlo-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: hlo-opt %s --mlir-print-debuginfo | FileCheck %s --check-prefix=DEBUG
// RUN: hlo-opt %s --compile-to=linalg --mlir-print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=PHASES

// ALL: IR Dump After eliminate-dead-code
// ALL: IR Dump After cse
// ONE-NOT: eliminate-dead-code
// ONE: IR Dump Before cse
// TIMING: cse
// TIMING: total
// GENERIC: "func.func"
// GENERIC: "stablehlo.add"(%arg0, %arg0)
// DEBUG: print_ir.mlir":21:8
// PHASES: IR Dump After stablehlo-to-linalg
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {


  %r = stablehlo.add %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
