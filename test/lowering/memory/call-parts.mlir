// RUN: hlo-opt %s --call-parts | FileCheck %s

func.func private @k.part(%a: memref<8xf32>, %t: index) {
  return
}

func.func private @n.part(%a: memref<8xf32>, %t: i64) {
  return
}

func.func @k(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%t) = (%c0) to (%c4) step (%c1) {
    func.call @k.part(%a, %t) : (memref<8xf32>, index) -> ()
    scf.reduce
  }
  scf.parallel (%t) = (%c0) to (%c4) step (%c1) {
    %number = arith.index_cast %t : index to i64
    func.call @n.part(%a, %number) : (memref<8xf32>, i64) -> ()
    scf.reduce
  }
  return
}

// CHECK: func.func private @k.part({{.*}}) attributes {hlo.part}
// CHECK: func.func private @n.part({{.*}}) attributes {hlo.part}
// CHECK-LABEL: func.func @k
// CHECK: %[[COUNT:.*]] = arith.constant 4 : index
// CHECK-NOT: scf.parallel
// CHECK: call @k.part(%{{.*}}, %[[COUNT]])
// CHECK: %[[CAST:.*]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK: call @n.part(%{{.*}}, %[[CAST]])
