// RUN: hlo-opt %s --schedule-kernels --emit-kernels | FileCheck %s

// Upstream bufferization makes loops kernels; stores go straight to the result's memory, no copy, no allocation.

// CHECK: hlo.code = @flip.code
func.func private @flip(%x: tensor<8xi1>) -> tensor<8xi1> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %true = arith.constant true
  %e = tensor.empty() : tensor<8xi1>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %e) -> (tensor<8xi1>) {
    %v = tensor.extract %x[%i] : tensor<8xi1>
    %n = arith.xori %v, %true : i1
    %b = tensor.insert %n into %a[%i] : tensor<8xi1>
    scf.yield %b : tensor<8xi1>
  }
  return %r : tensor<8xi1>
}

// CHECK: func.func private @flip.code(%[[X:.*]]: memref<8xi8>, %[[R:.*]]: memref<8xi8>)
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK-NEXT: %[[V:.*]] = memref.load %[[X]]
// CHECK-NEXT: %[[B:.*]] = arith.trunci %[[V]] : i8 to i1
// CHECK-NEXT: %[[N:.*]] = arith.xori %[[B]]
// CHECK-NEXT: %[[W:.*]] = arith.extui %[[N]] : i1 to i8
// CHECK-NEXT: memref.store %[[W]], %[[R]]
// CHECK-NOT: memref.copy
