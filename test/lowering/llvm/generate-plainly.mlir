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

// Two loops, one in the other, of which neither computes much for itself.
// CHECK: llvm.func @nests({{.*}}) attributes {no_inline, optimize_none} {
llvm.func @nests(%a: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %many = llvm.mlir.constant(8 : i64) : i64
  llvm.br ^outer(%zero : i64)
^outer(%i: i64):
  %y0 = llvm.add %i, %one : i64
  %y1 = llvm.add %y0, %i : i64
  %y2 = llvm.add %y1, %i : i64
  %y3 = llvm.add %y2, %i : i64
  %y4 = llvm.add %y3, %i : i64
  %y5 = llvm.add %y4, %i : i64
  %y6 = llvm.add %y5, %i : i64
  %y7 = llvm.add %y6, %i : i64
  %y8 = llvm.add %y7, %i : i64
  %y9 = llvm.add %y8, %i : i64
  %y10 = llvm.add %y9, %i : i64
  %y11 = llvm.add %y10, %i : i64
  %y12 = llvm.add %y11, %i : i64
  %y13 = llvm.add %y12, %i : i64
  %y14 = llvm.add %y13, %i : i64
  %y15 = llvm.add %y14, %i : i64
  llvm.br ^inner(%zero : i64)
^inner(%k: i64):
  %z0 = llvm.add %k, %y15 : i64
  %z1 = llvm.add %z0, %k : i64
  %z2 = llvm.add %z1, %k : i64
  %z3 = llvm.add %z2, %k : i64
  %z4 = llvm.add %z3, %k : i64
  %z5 = llvm.add %z4, %k : i64
  %z6 = llvm.add %z5, %k : i64
  %z7 = llvm.add %z6, %k : i64
  %z8 = llvm.add %z7, %k : i64
  %z9 = llvm.add %z8, %k : i64
  %z10 = llvm.add %z9, %k : i64
  %z11 = llvm.add %z10, %k : i64
  %z12 = llvm.add %z11, %k : i64
  %z13 = llvm.add %z12, %k : i64
  %z14 = llvm.add %z13, %k : i64
  %z15 = llvm.add %z14, %k : i64
  %at = llvm.getelementptr %a[%z15] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.call @tile(%at) : (!llvm.ptr) -> ()
  %l = llvm.add %k, %one : i64
  %more = llvm.icmp "slt" %l, %many : i64
  llvm.cond_br %more, ^inner(%l : i64), ^last
^last:
  %j = llvm.add %i, %one : i64
  %go_on = llvm.icmp "slt" %j, %many : i64
  llvm.cond_br %go_on, ^outer(%j : i64), ^end
^end:
  llvm.return
}
