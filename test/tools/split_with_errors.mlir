// Of an input in parts, those without mistakes are printed, and a file is not written.
// RUN: not hlo-opt %s --split-input-file 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t.err
// RUN: rm -f %t.out && not hlo-opt %s --split-input-file -o %t.out && not ls %t.out

// CHECK: @first
// CHECK: // -----
// CHECK: // -----
// CHECK-NEXT: module {
// CHECK-NEXT: @third
// ERROR: split_with_errors.mlir:[[@LINE+4]]:23: error: unknown op 'retrn'; did you mean 'func.return'?
// ERROR-NOT: error
func.func @first() { return }
// -----
func.func @second() { retrn }
// -----
func.func @third() { return }
