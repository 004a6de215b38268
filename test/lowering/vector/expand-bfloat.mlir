// RUN: hlo-opt %s --expand-bfloat | FileCheck %s

// CHECK-LABEL: @widen
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK: %[[WORD:.*]] = arith.extui %[[BITS]] : vector<8xi16> to vector<8xi32>
// CHECK: %[[HIGH:.*]] = arith.shli %[[WORD]]
// CHECK: arith.bitcast %[[HIGH]] : vector<8xi32> to vector<8xf32>
func.func @widen(%x: vector<8xbf16>) -> vector<8xf32> {
  %0 = arith.extf %x : vector<8xbf16> to vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: @narrow
// CHECK-NOT: truncf
// CHECK: arith.cmpf uno
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @narrow(%x: f32) -> bf16 {
  %0 = arith.truncf %x : f32 to bf16
  return %0 : bf16
}

// The only truncf left is the one to f32, which is then made odd.
// CHECK-LABEL: @narrow_double
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK-NOT: truncf
// CHECK: arith.cmpf one
func.func @narrow_double(%x: f64) -> bf16 {
  %0 = arith.truncf %x : f64 to bf16
  return %0 : bf16
}

// Other conversions stay.
// CHECK-LABEL: @other
// CHECK: arith.extf %{{.*}} : f16 to f32
func.func @other(%x: f16) -> f32 {
  %0 = arith.extf %x : f16 to f32
  return %0 : f32
}
