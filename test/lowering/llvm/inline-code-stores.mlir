// RUN: hlo-opt %s --inline-code | FileCheck %s

// A masked store of all three elements of a place on the stack: all lanes are stored, since nothing else is behind them.
func.func private @whole.code(%a: memref<3xf32>, %v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %m = vector.constant_mask [3] : vector<4xi1>
  vector.maskedstore %a[%c0], %m, %v : memref<3xf32>, vector<4xi1>, vector<4xf32>
  return
}

// Of two of them, of those that a mask chooses, or somewhere else: stays.
func.func private @two.code(%a: memref<3xf32>, %v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %m = vector.constant_mask [2] : vector<4xi1>
  vector.maskedstore %a[%c0], %m, %v : memref<3xf32>, vector<4xi1>, vector<4xf32>
  return
}
func.func private @chosen.code(%a: memref<3xf32>, %v: vector<4xf32>, %m: vector<4xi1>) {
  %c0 = arith.constant 0 : index
  vector.maskedstore %a[%c0], %m, %v : memref<3xf32>, vector<4xi1>, vector<4xf32>
  return
}

// CHECK-LABEL: func.func @main
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           %[[W:.*]] = memref.view %alloca[%{{.*}}][] : memref<64xi8> to memref<4xf32>
// CHECK:           vector.store %arg0, %[[W]][%{{.*}}] : memref<4xf32>, vector<4xf32>
// CHECK:           %[[M:.*]] = vector.constant_mask [3] : vector<4xi1>
// CHECK:           vector.maskedstore %arg2[%{{.*}}], %[[M]], %arg0
// CHECK:           %[[TWO:.*]] = vector.constant_mask [2] : vector<4xi1>
// CHECK:           vector.maskedstore %{{.*}}[%{{.*}}], %[[TWO]], %arg0 : memref<3xf32>
// CHECK:           vector.maskedstore %{{.*}}[%{{.*}}], %arg1, %arg0 : memref<3xf32>
// CHECK-NOT:       call
func.func @main(%v: vector<4xf32>, %mask: vector<4xi1>, %elsewhere: memref<3xf32>, %go: i1) {
  %c0 = arith.constant 0 : index
  %alloca = memref.alloca() {alignment = 64 : i64} : memref<64xi8>
  %a = memref.view %alloca[%c0][] : memref<64xi8> to memref<3xf32>
  scf.while : () -> () {
    scf.condition(%go)
  } do {
    func.call @whole.code(%a, %v) : (memref<3xf32>, vector<4xf32>) -> ()
    func.call @whole.code(%elsewhere, %v) : (memref<3xf32>, vector<4xf32>) -> ()
    func.call @two.code(%a, %v) : (memref<3xf32>, vector<4xf32>) -> ()
    func.call @chosen.code(%a, %v, %mask) : (memref<3xf32>, vector<4xf32>, vector<4xi1>) -> ()
    scf.yield
  }
  return
}
