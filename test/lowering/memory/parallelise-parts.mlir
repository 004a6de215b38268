// RUN: hlo-opt %s --parallelise-parts | FileCheck %s

module {
  llvm.func @k.part(%a: !llvm.ptr, %n: i64, %t: i64) attributes {hlo.part} {
    %0 = llvm.getelementptr %a[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %n, %0 : i64, !llvm.ptr
    llvm.return
  }
  llvm.func @timed.part(%a: !llvm.ptr, %t: i64) attributes {hlo.part, hlo.row = 3 : i64} {
    llvm.return
  }
  llvm.func @other(%a: !llvm.ptr) {
    llvm.return
  }
  llvm.func @k(%a: !llvm.ptr, %n: i64, %callback: !llvm.ptr) {
    llvm.call %callback(%n) : !llvm.ptr, (i64) -> ()
    %count = llvm.mlir.constant(8 : i64) : i64
    llvm.call @k.part(%a, %n, %count) : (!llvm.ptr, i64, i64) -> ()
    llvm.call @timed.part(%a, %count) : (!llvm.ptr, i64) -> ()
    llvm.call @other(%a) : (!llvm.ptr) -> ()
    llvm.return
  }
}

// CHECK: llvm.func @hlo_share(!llvm.ptr)
// CHECK: llvm.func @hlo_profile_share(!llvm.ptr, i64)
// CHECK-NOT: hlo.row
// CHECK: llvm.func @k.part(%[[T:.*]]: i64, %[[WORK:.*]]: !llvm.ptr) {
// CHECK: %[[P2:.*]] = llvm.getelementptr %[[WORK]][2]
// CHECK: %[[A:.*]] = llvm.load %[[P2]]
// CHECK: %[[P3:.*]] = llvm.getelementptr %[[WORK]][3]
// CHECK: %[[N:.*]] = llvm.load %[[P3]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[A]][%[[T]]]
// CHECK: llvm.store %[[N]], %[[PLACE]]

// CHECK: llvm.func @k(%[[A:.*]]: !llvm.ptr, %[[N:.*]]: i64, %[[CALLBACK:.*]]: !llvm.ptr)
// CHECK: %[[OTHERS:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: %[[TIMED:.*]] = llvm.alloca %[[OTHERS]] x i64
// CHECK: %[[WORDS:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[WORK:.*]] = llvm.alloca %[[WORDS]] x i64
// CHECK: llvm.call %[[CALLBACK]](%[[N]])
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(8 : i64)
// CHECK: %[[PART:.*]] = llvm.mlir.addressof @k.part
// CHECK: llvm.store %[[PART]], %[[WORK]]
// CHECK: llvm.store %[[COUNT]]
// CHECK: llvm.store %[[A]]
// CHECK: llvm.store %[[N]]
// CHECK: llvm.call @hlo_share(%[[WORK]])
// CHECK: %[[ROW:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: llvm.call @hlo_profile_share(%[[TIMED]], %[[ROW]])
// CHECK: llvm.call @other(%[[A]])
