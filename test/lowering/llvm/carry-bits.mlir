// RUN: hlo-opt %s --carry-bits | FileCheck %s

// CHECK-LABEL: llvm.func @moved
// CHECK-NOT: hlo.bf16
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: llvm.mlir.constant(16256 : i16) : i16
// CHECK: llvm.br ^bb1(%[[FIRST]] : i16)
// CHECK: ^bb1(%[[BITS:.*]]: i16):
// CHECK: %[[CHOSEN:.*]] = llvm.select %{{.*}}, %[[BITS]], %{{.*}} : i1, i16
// CHECK: llvm.store %[[CHOSEN]], %{{.*}} : i16, !llvm.ptr
llvm.func @moved(%p: !llvm.ptr, %choice: i1) attributes {hlo.bf16} {
  %0 = llvm.load %p : !llvm.ptr -> bf16
  %1 = llvm.mlir.constant(1.0 : bf16) : bf16
  llvm.br ^bb1(%0 : bf16)
^bb1(%x: bf16):
  %2 = llvm.select %choice, %x, %1 : i1, bf16
  llvm.store %2, %p : bf16, !llvm.ptr
  llvm.return
}

// Elements of vectors are bits too; other ops get numbers, and what they give is bits again.
// CHECK-LABEL: llvm.func @computed
// CHECK: %[[VECTOR:.*]] = llvm.bitcast %{{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK: %[[ELEMENT:.*]] = llvm.extractelement %[[VECTOR]]{{.*}} : vector<8xi16>
// CHECK: %[[NUMBER:.*]] = llvm.bitcast %[[ELEMENT]] : i16 to bf16
// CHECK: %[[WIDE:.*]] = llvm.fpext %[[NUMBER]] : bf16 to f32
// CHECK: %[[NARROW:.*]] = llvm.fptrunc %[[WIDE]] : f32 to bf16
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[NARROW]] : bf16 to i16
// CHECK: %[[NEW:.*]] = llvm.insertelement %[[BITS]], %{{.*}} : vector<8xi16>
// CHECK: llvm.bitcast %[[NEW]] : vector<8xi16> to vector<8xbf16>
llvm.func @computed(%p: !llvm.ptr, %i: i64) attributes {hlo.bf16} {
  %v = llvm.load %p : !llvm.ptr -> vector<8xbf16>
  %0 = llvm.extractelement %v[%i : i64] : vector<8xbf16>
  %1 = llvm.fpext %0 : bf16 to f32
  %2 = llvm.fptrunc %1 : f32 to bf16
  %3 = llvm.insertelement %2, %v[%i : i64] : vector<8xbf16>
  llvm.store %3, %p : vector<8xbf16>, !llvm.ptr
  llvm.return
}

// Vectors are loaded and stored as bits where there is a mask.
// CHECK-LABEL: llvm.func @masked
// CHECK: %[[ZERO:.*]] = llvm.bitcast %{{.*}} : vector<64xbf16> to vector<64xi16>
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[ZERO]] {{.*}} -> vector<64xi16>
// CHECK: %[[NUMBERS:.*]] = llvm.bitcast %[[LOADED]] : vector<64xi16> to vector<64xbf16>
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[NUMBERS]] : vector<64xbf16> to vector<64xi16>
// CHECK: llvm.intr.masked.store %[[BITS]], %{{.*}} : vector<64xi16>, vector<64xi1> into !llvm.ptr
llvm.func @masked(%p: !llvm.ptr, %q: !llvm.ptr, %mask: vector<64xi1>) attributes {hlo.bf16} {
  %zero = llvm.mlir.constant(dense<0.0> : vector<64xbf16>) : vector<64xbf16>
  %v = llvm.intr.masked.load %p, %mask, %zero {alignment = 2 : i32} : (!llvm.ptr, vector<64xi1>, vector<64xbf16>) -> vector<64xbf16>
  llvm.intr.masked.store %v, %q, %mask {alignment = 2 : i32} : vector<64xbf16>, vector<64xi1> into !llvm.ptr
  llvm.return
}

// Functions without the mark stay.
// CHECK-LABEL: llvm.func @other
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> bf16
llvm.func @other(%p: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> bf16
  llvm.store %0, %p : bf16, !llvm.ptr
  llvm.return
}
