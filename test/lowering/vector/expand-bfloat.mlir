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
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
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

// What was rounded just before stays in its word.
// CHECK-LABEL: @round
// CHECK: %[[WORD:.*]] = arith.select
// CHECK: %[[HIGH:.*]] = arith.andi %[[WORD]]
// CHECK: arith.bitcast %[[HIGH]] : vector<8xi32> to vector<8xf32>
// CHECK-NOT: extui
func.func @round(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  %1 = arith.extf %0 : vector<8xbf16> to vector<8xf32>
  return %1 : vector<8xf32>
}

// A NaN that was computed from bf16 has no bits in its lower half that rounding could carry; one of f32 may have.
// CHECK-LABEL: @short_nan
// CHECK-NOT: cmpf uno
// CHECK: return
func.func @short_nan(%x: vector<8xbf16>, %y: bf16, %c: vector<8xi1>) -> vector<8xbf16> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %1 = arith.extf %y : bf16 to f32
  %2 = vector.broadcast %1 : f32 to vector<8xf32>
  %3 = arith.divf %0, %2 : vector<8xf32>
  %4 = arith.select %c, %3, %one : vector<8xi1>, vector<8xf32>
  %5 = arith.truncf %4 : vector<8xf32> to vector<8xbf16>
  return %5 : vector<8xbf16>
}

// CHECK-LABEL: @long_nan
// CHECK: cmpf uno
func.func @long_nan(%x: vector<8xbf16>, %y: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.extf %x : vector<8xbf16> to vector<8xf32>
  %1 = arith.addf %0, %y : vector<8xf32>
  %2 = arith.truncf %1 : vector<8xf32> to vector<8xbf16>
  return %2 : vector<8xbf16>
}
