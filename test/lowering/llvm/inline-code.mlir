// RUN: hlo-opt %s --inline-code | FileCheck %s

func.func private @k.part(%a: memref<8xf32>, %t: i64) attributes {hlo.part} {
  return
}

// Two steps, each called once: nothing is left of them.
func.func private @k.nest(%a: memref<8xf32>) {
  %c4 = arith.constant 4 : i64
  call @k.part(%a, %c4) : (memref<8xf32>, i64) -> ()
  return
}

func.func private @k.code(%a: memref<8xf32>) {
  call @k.nest(%a) : (memref<8xf32>) -> ()
  return
}

// Called twice: stays.
func.func private @twice.code(%a: memref<8xf32>) {
  %c3 = arith.constant 3 : i64
  call @k.part(%a, %c3) : (memref<8xf32>, i64) -> ()
  return
}

// Computes: stays.
func.func private @add.code(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  memref.store %y, %a[%c0] : memref<8xf32>
  return
}

// A loop: stays.
func.func private @loop.code(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %t = arith.index_cast %i : index to i64
    func.call @tile(%a, %t) : (memref<8xf32>, i64) -> ()
  }
  return
}

// Code that the code of a kernel calls once, in a loop: nothing is left of it. With memory on the stack it stays.
func.func private @pack.code.panel(%a: memref<8xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %i step %c1 {
    %x = memref.load %a[%j] : memref<8xf32>
    memref.store %x, %a[%i] : memref<8xf32>
  }
  return
}

func.func private @pack.code.stack(%a: memref<8xf32>, %i: index) {
  %b = memref.alloca() : memref<8xf32>
  memref.copy %b, %a : memref<8xf32> to memref<8xf32>
  return
}

func.func private @pack.code(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    func.call @pack.code.panel(%a, %i) : (memref<8xf32>, index) -> ()
    func.call @pack.code.stack(%a, %i) : (memref<8xf32>, index) -> ()
  }
  return
}

// The same with a result.
func.func private @square.code.body(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.mulf %x, %x : vector<8xf32>
  return %0 : vector<8xf32>
}

func.func private @square.code(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %y = call @square.code.body(%x) : (vector<8xf32>) -> vector<8xf32>
  vector.store %y, %a[%c0] : memref<8xf32>, vector<8xf32>
  return
}

// A layer, and a function that must not be inlined: stay.
func.func private @layer(%a: memref<8xf32>) attributes {hlo.layer} {
  call @add.code(%a) : (memref<8xf32>) -> ()
  return
}

func.func private @tile(%a: memref<8xf32>, %t: i64) attributes {passthrough = ["noinline"]} {
  call @k.part(%a, %t) : (memref<8xf32>, i64) -> ()
  return
}

func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) {
  call @k.code(%y) : (memref<8xf32>) -> ()
  call @twice.code(%x) : (memref<8xf32>) -> ()
  call @twice.code(%y) : (memref<8xf32>) -> ()
  call @loop.code(%x) : (memref<8xf32>) -> ()
  call @layer(%x) : (memref<8xf32>) -> ()
  call @pack.code(%x) : (memref<8xf32>) -> ()
  return
}

// CHECK: func.func private @k.part
// CHECK-NOT: @k.nest
// CHECK-NOT: @k.code
// CHECK: func.func private @twice.code
// CHECK: func.func private @add.code
// CHECK: func.func private @loop.code
// CHECK-NOT: @pack.code.panel
// CHECK: func.func private @pack.code.stack
// CHECK: func.func private @pack.code(%[[A:.*]]: memref<8xf32>)
// CHECK: scf.for %[[I:.*]] = %{{.*}} {
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[I]]
// CHECK-NEXT: %[[X:.*]] = memref.load %[[A]][%[[J]]]
// CHECK-NEXT: memref.store %[[X]], %[[A]][%[[I]]]
// CHECK: call @pack.code.stack(%[[A]], %[[I]])
// CHECK-NOT: @square.code.body
// CHECK: func.func private @square.code
// CHECK: %[[X:.*]] = vector.load
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: vector.store %[[Y]]
// CHECK: func.func private @layer
// CHECK: func.func private @tile
// CHECK: func.func @main(%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK-NEXT: %[[COUNT:.*]] = arith.constant 4 : i64
// CHECK-NEXT: call @k.part(%[[Y]], %[[COUNT]])
// CHECK-NEXT: call @twice.code(%[[X]])
// CHECK-NEXT: call @twice.code(%[[Y]])
// CHECK-NEXT: call @loop.code(%[[X]])
// CHECK-NEXT: call @layer(%[[X]])
// CHECK-NEXT: call @pack.code(%[[X]])
// CHECK-NEXT: return
