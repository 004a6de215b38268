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

// A maximum of widened numbers is one of them, carried by a loop, too: nothing is rounded.
// CHECK-LABEL: @maximum
// CHECK: scf.for
// CHECK: arith.maximumf
// CHECK-NOT: addi
// CHECK: return
func.func @maximum(%x: memref<8xbf16>, %n: index) -> bf16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xFF800000 : f32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%most = %least) -> (f32) {
    %2 = memref.load %x[%i] : memref<8xbf16>
    %3 = arith.extf %2 : bf16 to f32
    %4 = arith.maximumf %most, %3 : f32
    scf.yield %4 : f32
  }
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}

// The same by the processor's instruction, around which NaN is passed on.
// CHECK-LABEL: @range
// CHECK-NOT: addi
// CHECK: return
func.func @range(%x: vector<16xbf16>, %y: vector<16xbf16>) -> vector<16xbf16> {
  %which = llvm.mlir.constant(5 : i32) : i32
  %all = llvm.mlir.constant(-1 : i16) : i16
  %rounding = llvm.mlir.constant(4 : i32) : i32
  %0 = arith.extf %x : vector<16xbf16> to vector<16xf32>
  %1 = arith.extf %y : vector<16xbf16> to vector<16xf32>
  %2 = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%0, %1, %which, %0, %all, %rounding) : (vector<16xf32>, vector<16xf32>, i32, vector<16xf32>, i16, i32) -> vector<16xf32>
  %3 = arith.cmpf uno, %0, %1 : vector<16xf32>
  %4 = arith.addf %0, %1 : vector<16xf32>
  %5 = arith.select %3, %4, %2 : vector<16xi1>, vector<16xf32>
  %6 = arith.truncf %5 : vector<16xf32> to vector<16xbf16>
  return %6 : vector<16xbf16>
}

// Neither a constant that is no bf16 number nor a sum is.
// CHECK-LABEL: @rounded_maximum
// CHECK: addi
// CHECK: return
func.func @rounded_maximum(%x: bf16) -> bf16 {
  %least = arith.constant 0.1 : f32
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.maximumf %0, %least : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}

// CHECK-LABEL: @sum
// CHECK: addi
// CHECK: return
func.func @sum(%x: memref<8xbf16>, %n: index) -> bf16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%most = %zero) -> (f32) {
    %2 = memref.load %x[%i] : memref<8xbf16>
    %3 = arith.extf %2 : bf16 to f32
    %4 = arith.addf %most, %3 : f32
    scf.yield %4 : f32
  }
  %1 = arith.truncf %0 : f32 to bf16
  return %1 : bf16
}
