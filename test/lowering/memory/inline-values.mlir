// Straight-line code that makes values is copied into functions with loops, where its results are those of its calls.
// RUN: hlo-opt %s --inline-code | FileCheck %s

// CHECK-NOT: @double
// CHECK-LABEL: func.func @main
// CHECK: scf.while
// CHECK: %[[A:.*]] = arith.addf %[[X:.*]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[A]]
// CHECK-NEXT: scf.yield %[[B]]
func.func private @double(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
func.func @main(%x: f32) -> f32 {
  %limit = arith.constant 100.0 : f32
  %0 = scf.while (%y = %x) : (f32) -> f32 {
    %1 = arith.cmpf olt, %y, %limit : f32
    scf.condition(%1) %y : f32
  } do {
  ^bb0(%y: f32):
    %1 = func.call @double(%y) : (f32) -> f32
    %2 = func.call @double(%1) : (f32) -> f32
    scf.yield %2 : f32
  }
  return %0 : f32
}
