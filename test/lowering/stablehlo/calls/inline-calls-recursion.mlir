// RUN: not hlo-opt %s --inline-calls 2>&1 | FileCheck %s

// CHECK: recursive calls cannot be compiled: @main -> @other -> @main
func.func @main() {
  call @other() : () -> ()
  return
}

func.func private @other() {
  call @main() : () -> ()
  return
}
