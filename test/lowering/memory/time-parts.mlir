// RUN: hlo-opt %s --time-parts | FileCheck %s

// Parts of a function with hlo.row are run by the timed function, with the row; others as before.

// CHECK:       llvm.func @hlo_profile_share(!llvm.ptr, i64)
// CHECK-LABEL: llvm.func @host
// CHECK:         %[[ROW:.*]] = llvm.mlir.constant(3 : i64)
// CHECK:         llvm.call @hlo_profile_share(%{{.*}}, %[[ROW]])
// CHECK:         llvm.call @hlo_share(%{{.*}})
// CHECK-NOT:   hlo.row
llvm.func @hlo_share(!llvm.ptr)
llvm.func @k.part(i64, !llvm.ptr) attributes {hlo.row = 3 : i64}
llvm.func @other(i64, !llvm.ptr)
llvm.func @host() {
  %two = llvm.mlir.constant(2 : i64) : i64
  %first = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
  %second = llvm.alloca %two x i64 : (i64) -> !llvm.ptr
  %part = llvm.mlir.addressof @k.part : !llvm.ptr
  %other = llvm.mlir.addressof @other : !llvm.ptr
  llvm.store %part, %first : !llvm.ptr, !llvm.ptr
  llvm.call @hlo_share(%first) : (!llvm.ptr) -> ()
  llvm.store %other, %second : !llvm.ptr, !llvm.ptr
  llvm.call @hlo_share(%second) : (!llvm.ptr) -> ()
  llvm.return
}
