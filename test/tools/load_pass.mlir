// RUN: not hlo-opt %s --load-pass=%S/inputs/broken_late.py --broken-late 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not hlo-opt %s --load-pass=%S/inputs/broken_early.py 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not hlo-opt %s --load-pass=%S/inputs/registers_nothing.py 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: printf 'def f(:\n' > %t.py && not hlo-opt %s --load-pass=%t.py 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not hlo-opt %s --load-pass=%S/inputs/none.py 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not hlo-opt %s --load-pass=%s 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: hlo-opt %s --load-pass=%S/inputs/refuse_all.py --load-pass=%S/inputs/refuse_all.py

// LATE: broken_late.py:14:{{[0-9]+}}: error: KeyError: 'no such key'
// LATE-NEXT: {}["no such key"]
// LATE-NOT: Traceback
// EARLY: broken_early.py:3:1: error: RuntimeError: not today
// NOTHING: registers_nothing.py registers nothing: a pass needs @register_pass, a target hlo.register_target
// SYNTAX: .py:1:7: error: SyntaxError: invalid syntax
// SYNTAX-NEXT: def f(:
// MISSING: --load-pass: cannot read '{{.*}}none.py': No such file or directory
// KIND: --load-pass takes a Python file (NAME.py), found '{{.*}}load_pass.mlir'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
