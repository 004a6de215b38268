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

// LLVM would compute what comes from bf16 in bf16, and its way back there loses numbers below the normal ones.

// CHECK-LABEL: func.func @from_bf16
// CHECK-NOT: arith.extf
// CHECK: arith.extui %{{.*}} : vector<16xi16> to vector<16xi32>
// CHECK: arith.shli
// CHECK: arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
func.func @from_bf16(%x: vector<16xbf16>) -> vector<16xf32> {
  %r = arith.extf %x : vector<16xbf16> to vector<16xf32>
  return %r : vector<16xf32>
}

// CHECK-LABEL: func.func @to_bf16
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci %{{.*}} : i32 to i16
func.func @to_bf16(%x: f32) -> bf16 {
  %r = arith.truncf %x : f32 to bf16
  return %r : bf16
}
