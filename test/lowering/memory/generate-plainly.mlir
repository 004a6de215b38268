// RUN: hlo-opt %s --generate-plainly | FileCheck %s

llvm.func @tile(!llvm.ptr)

// A loop around a call.
// CHECK: llvm.func @nest({{.*}}) attributes {no_inline, optimize_none} {
llvm.func @nest(%a: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %many = llvm.mlir.constant(8 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %go_on = llvm.icmp "slt" %i, %many : i64
  llvm.cond_br %go_on, ^body, ^end
^body:
  %next = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.call @tile(%next) : (!llvm.ptr) -> ()
  %j = llvm.add %i, %one : i64
  llvm.br ^head(%j : i64)
^end:
  llvm.return
}

// A loop without a call, in front of one.
// CHECK: llvm.func @count(%{{[^)]*}}) {
llvm.func @count(%a: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %many = llvm.mlir.constant(8 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %go_on = llvm.icmp "slt" %i, %many : i64
  llvm.cond_br %go_on, ^body, ^end
^body:
  %old = llvm.load %a : !llvm.ptr -> i64
  %new = llvm.add %old, %i : i64
  llvm.store %new, %a : i64, !llvm.ptr
  %j = llvm.add %i, %one : i64
  llvm.br ^head(%j : i64)
^end:
  llvm.call @tile(%a) : (!llvm.ptr) -> ()
  llvm.return
}

// Numbers and vectors.
// CHECK: llvm.func @number(%{{[^)]*}}) {
llvm.func @number(%a: !llvm.ptr) {
  %old = llvm.load %a : !llvm.ptr -> f32
  %new = llvm.fadd %old, %old : f32
  llvm.store %new, %a : f32, !llvm.ptr
  llvm.call @tile(%a) : (!llvm.ptr) -> ()
  llvm.return
}

// CHECK: llvm.func @vector(%{{[^)]*}}) {
llvm.func @vector(%a: !llvm.ptr) {
  %old = llvm.load %a : !llvm.ptr -> vector<8xi32>
  %new = llvm.add %old, %old : vector<8xi32>
  llvm.store %new, %a : vector<8xi32>, !llvm.ptr
  llvm.call @tile(%a) : (!llvm.ptr) -> ()
  llvm.return
}

// Nothing is called.
// CHECK: llvm.func @store(%{{[^)]*}}) {
llvm.func @store(%a: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.store %zero, %a : i64, !llvm.ptr
  llvm.return
}

// A loop that computes more than it calls.
// CHECK: llvm.func @sum(%{{[^)]*}}) {
llvm.func @sum(%a: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %many = llvm.mlir.constant(8 : i64) : i64
  llvm.br ^body(%zero : i64)
^body(%i: i64):
  %x1 = llvm.add %many, %i : i64
  %x2 = llvm.add %x1, %i : i64
  %x3 = llvm.add %x2, %i : i64
  %x4 = llvm.add %x3, %i : i64
  %x5 = llvm.add %x4, %i : i64
  %x6 = llvm.add %x5, %i : i64
  %x7 = llvm.add %x6, %i : i64
  %x8 = llvm.add %x7, %i : i64
  %x9 = llvm.add %x8, %i : i64
  %x10 = llvm.add %x9, %i : i64
  %x11 = llvm.add %x10, %i : i64
  %x12 = llvm.add %x11, %i : i64
  %x13 = llvm.add %x12, %i : i64
  %x14 = llvm.add %x13, %i : i64
  %x15 = llvm.add %x14, %i : i64
  %x16 = llvm.add %x15, %i : i64
  %x17 = llvm.add %x16, %i : i64
  %x18 = llvm.add %x17, %i : i64
  %x19 = llvm.add %x18, %i : i64
  %x20 = llvm.add %x19, %i : i64
  %x21 = llvm.add %x20, %i : i64
  %x22 = llvm.add %x21, %i : i64
  %x23 = llvm.add %x22, %i : i64
  llvm.store %x23, %a : i64, !llvm.ptr
  llvm.call @tile(%a) : (!llvm.ptr) -> ()
  %go_on = llvm.icmp "slt" %x23, %many : i64
  llvm.cond_br %go_on, ^body(%x1 : i64), ^end
^end:
  llvm.return
}
