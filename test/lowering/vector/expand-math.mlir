// RUN: hlo-opt %s --expand-math | FileCheck %s

// Math on f32 vectors becomes arithmetic of the same shape; what arithmetic exists for already stays.

// CHECK-LABEL: func.func @exponential
// CHECK-NOT: math.exp
// CHECK: math.roundeven %{{.*}} : vector<16xf32>
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK: arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
func.func @exponential(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.exp %x : vector<16xf32>
  return %r : vector<16xf32>
}

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: math.log
// CHECK: math.fma %{{.*}} : f64
func.func @scalar(%x: f64) -> f64 {
  %r = math.log %x : f64
  return %r : f64
}

// CHECK-LABEL: func.func @kept
// CHECK: math.sqrt %{{.*}} : vector<8xf32>
func.func @kept(%x: vector<8xf32>) -> vector<8xf32> {
  %r = math.sqrt %x : vector<8xf32>
  return %r : vector<8xf32>
}

// What is only used in 16 bits takes one polynomial.
// CHECK-LABEL: func.func @narrow_erf
// CHECK-NOT: math.roundeven
// CHECK: return
func.func @narrow_erf(%x: vector<16xf32>) -> vector<16xbf16> {
  %r = math.erf %x : vector<16xf32>
  %n = arith.truncf %r : vector<16xf32> to vector<16xbf16>
  return %n : vector<16xbf16>
}

// CHECK-LABEL: func.func @wide_erf
// CHECK: math.roundeven
func.func @wide_erf(%x: vector<16xf32>) -> (vector<16xbf16>, vector<16xf32>) {
  %r = math.erf %x : vector<16xf32>
  %n = arith.truncf %r : vector<16xf32> to vector<16xbf16>
  return %n, %r : vector<16xbf16>, vector<16xf32>
}
