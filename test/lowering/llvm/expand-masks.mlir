// RUN: hlo-opt %s --expand-masks | FileCheck %s

// CHECK-LABEL: @known
// CHECK: %[[MASK:.*]] = arith.constant dense<[true, true, false, false]> : vector<4xi1>
// CHECK: vector.maskedstore %{{.*}}, %[[MASK]]
func.func @known(%m: memref<2xf32>, %x: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %0 = vector.constant_mask [2] : vector<4xi1>
  vector.maskedstore %m[%c0], %0, %x : memref<2xf32>, vector<4xi1>, vector<4xf32>
  return
}

// CHECK-LABEL: @none_and_all
// CHECK-DAG: arith.constant dense<false> : vector<4xi1>
// CHECK-DAG: arith.constant dense<true> : vector<4xi1>
func.func @none_and_all() -> (vector<4xi1>, vector<4xi1>) {
  %0 = vector.constant_mask [0] : vector<4xi1>
  %1 = vector.constant_mask [4] : vector<4xi1>
  return %0, %1 : vector<4xi1>, vector<4xi1>
}

// Of two dimensions, and with a number that is not known: as they are.
// CHECK-LABEL: @others
// CHECK: vector.constant_mask [1, 2] : vector<2x4xi1>
// CHECK: vector.create_mask
func.func @others(%n: index) -> (vector<2x4xi1>, vector<4xi1>) {
  %0 = vector.constant_mask [1, 2] : vector<2x4xi1>
  %1 = vector.create_mask %n : vector<4xi1>
  return %0, %1 : vector<2x4xi1>, vector<4xi1>
}
