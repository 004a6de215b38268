// RUN: hlo-opt %s --add-entry | FileCheck %s

module attributes {hlo.entry = "main"} {
  llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr) {
    llvm.return
  }
}

// CHECK: llvm.func @hlo_entry(%[[P:.*]]: !llvm.ptr)
// CHECK: %[[A:.*]] = llvm.load
// CHECK: %[[B:.*]] = llvm.load
// CHECK: llvm.call @main(%[[A]], %[[B]])
