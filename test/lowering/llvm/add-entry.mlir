// RUN: hlo-opt %s --add-entry | FileCheck %s

module attributes {hlo.entry = "main"} {
  llvm.func @part(!llvm.ptr, !llvm.ptr)
  llvm.func @main(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr) {
    llvm.call @part(%b, %a) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
}

// CHECK-NOT: @main
// CHECK: llvm.func @hlo_entry(%[[P:.*]]: !llvm.ptr) -> i64 {
// CHECK: %[[A:.*]] = llvm.load %[[P]]
// CHECK: %[[PB:.*]] = llvm.getelementptr %[[P]][1]
// CHECK: %[[B:.*]] = llvm.load %[[PB]]
// CHECK: llvm.call @part(%[[B]], %[[A]])
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK: llvm.return %[[ZERO]] : i64
