// RUN: hlo-opt %s --time-calls | FileCheck %s

// Host code reads the clock after calls and copies, and around loops; a kernel's own copies are part of it.

// CHECK:       kind = "loop", name = "while"
// CHECK-SAME:  kind = "copy", name = "copy"
// CHECK-LABEL: func.func @main
// CHECK:         %[[FRAME:.*]] = llvm.alloca
// CHECK:         llvm.call @hlo_profile_begin(%[[FRAME]])
// CHECK:         %[[START:.*]] = llvm.call @hlo_profile_now()
// CHECK:         scf.while
// CHECK:           call @k.code
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:      llvm.call @hlo_profile_lap(%[[FRAME]], %[[ZERO]])
// CHECK:         llvm.call @hlo_profile_span(%[[FRAME]], %{{.*}}, %[[START]])
// CHECK:         memref.copy
// CHECK:         llvm.call @hlo_profile_lap
// CHECK:         llvm.call @hlo_profile_end(%[[FRAME]])
// CHECK-NEXT:    return
// CHECK:       func.func private @k.code(%{{.*}}) {
// CHECK-NOT:     hlo_profile
// CHECK:         return
// CHECK:       func.func private @k.code.part(%{{.*}}) attributes {hlo.part, hlo.row = 0 : i64}
module attributes {hlo.arena = 0 : i64, hlo.custom_calls = [], hlo.entry = "main", hlo.profile = [
    {name = "k", kind = "region", code = "k.code", element = "", names = [], sources = []}]} {
  func.func @main(%a: memref<8xf32>, %r: memref<8xf32>, %calls: !llvm.ptr, %arena: memref<1xi8>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %n = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi slt, %i, %c8 : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      func.call @k.code(%a) : (memref<8xf32>) -> ()
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    memref.copy %a, %r : memref<8xf32> to memref<8xf32>
    return
  }
  func.func private @k.code(%a: memref<8xf32>) {
    %b = memref.alloca() : memref<8xf32>
    memref.copy %a, %b : memref<8xf32> to memref<8xf32>
    %c4 = arith.constant 4 : index
    call @k.code.part(%a, %c4) : (memref<8xf32>, index) -> ()
    return
  }
  func.func private @k.code.part(%a: memref<8xf32>, %t: index) attributes {hlo.part} {
    return
  }
}
