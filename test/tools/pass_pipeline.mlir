// RUN: hlo-opt %s --pass-pipeline='builtin.module(eliminate-dead-code,func.func(canonicalize,cse))' | FileCheck %s
// RUN: hlo-opt %s --eliminate-dead-code --cse | FileCheck %s
// RUN: not hlo-opt %s --pass-pipeline='builtin.module(no-such-pass)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hlo-opt %s --pass-pipeline='builtin.module(cse' 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not hlo-opt %s --eliminate-dead-code=limit=3 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not hlo-opt %s --compile-to=nowhere 2>&1 | FileCheck %s --check-prefix=PHASE

// UNKNOWN: unknown pass 'no-such-pass'
// SYNTAX: expected ')' at column 19
// OPTION: pass 'eliminate-dead-code' has no option 'limit'
// PHASE: no phase 'nowhere'; phases: stablehlo, linalg, kernels, memory, llvm

// CHECK-LABEL: func.func @main
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = stablehlo.multiply %x, %x : tensor<4xf32>
  %r = stablehlo.add %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
