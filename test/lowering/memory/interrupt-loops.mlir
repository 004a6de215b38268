// RUN: hlo-opt %s --interrupt-loops | FileCheck %s

// CHECK-LABEL: func.func public @main
// CHECK:         scf.while
// CHECK-NEXT:      %[[C:.*]] = memref.load
// CHECK-NEXT:      %[[AT:.*]] = llvm.mlir.addressof @hlo_interrupt
// CHECK-NEXT:      %[[RECORD:.*]] = llvm.load %[[AT]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:      %[[FLAG:.*]] = llvm.load %[[RECORD]] atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK:           %[[QUIET:.*]] = arith.cmpi eq, %[[FLAG]]
// CHECK-NEXT:      %[[GO:.*]] = scf.if %[[QUIET]] -> (i1) {
// CHECK:           } else {
// CHECK-NEXT:        %[[MINE:.*]] = llvm.call @hlo_goes_on(%[[RECORD]]) : (!llvm.ptr) -> i1
// CHECK-NEXT:        scf.yield %[[MINE]]
// CHECK:           %[[BOTH:.*]] = arith.andi %[[C]], %[[GO]]
// CHECK-NEXT:      scf.condition(%[[BOTH]])
func.func public @main(%c: memref<i1>) {
  scf.while : () -> () {
    %0 = memref.load %c[] : memref<i1>
    scf.condition(%0)
  } do {
    func.call @kernel.code(%c) : (memref<i1>) -> ()
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func private @layer
// CHECK:         llvm.call @hlo_goes_on
func.func private @layer(%c: memref<i1>) attributes {hlo.layer} {
  scf.while : () -> () {
    %0 = memref.load %c[] : memref<i1>
    scf.condition(%0)
  } do {
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func private @kernel.code
// CHECK-NOT:     hlo_interrupt
// CHECK:         return
func.func private @kernel.code(%c: memref<i1>) {
  scf.while : () -> () {
    %0 = memref.load %c[] : memref<i1>
    scf.condition(%0)
  } do {
    scf.yield
  }
  return
}
// CHECK: llvm.mlir.global external constant @hlo_interrupt() {{.*}}: !llvm.ptr
// CHECK: llvm.func @hlo_goes_on(!llvm.ptr) -> i1
