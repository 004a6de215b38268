// RUN: rm -rf %t.d && mkdir -p %t.d/here %t.d/there && cp %S/inputs/refuse_all.py %t.d/here
// RUN: cd %t.d/here && hlo-opt %s --reproducer=../there/own.mlir --load-pass refuse_all.py -pass-pipeline='builtin.module(fold-constants{limit=7},cse)' -o /dev/null
// RUN: cd %t.d/there && hlo-opt own.mlir --run-reproducer --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// RUN: cd %t.d/there && python -c 'print(open("own.mlir").readline().split(": ", 1)[1].replace("%%s", "own.mlir"))' > own.sh && sh own.sh | FileCheck %s --check-prefix=SHELL

// The line of a reproducer runs in another folder than the one that wrote it, from a shell and by --run-reproducer.

// CHECK: builtin.module(fold-constants{limit=7},cse)
// SHELL: func.func @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
