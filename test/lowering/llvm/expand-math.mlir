// RUN: hlo-opt %s --expand-math | FileCheck %s
// RUN: hlo-opt %s --expand-math=target=avx512 | FileCheck %s --check-prefix=AVX512
// RUN: hlo-opt %s --expand-math=target=avx2 | FileCheck %s --check-prefix=FUSED

// Math on f32 vectors becomes arithmetic of the same shape; what arithmetic exists for already stays.

// AVX-512 has instructions for the exponents of a register's lanes.

// Arguments whose power is 0 are 0 meanwhile: no product is too small for its type.

// AVX512-LABEL: func.func @exponential
// AVX512: %[[LEAST:.*]] = arith.constant dense<-1.040000e+02>
// AVX512: %[[BELOW:.*]] = arith.cmpf olt, %{{.*}}, %[[LEAST]]
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// AVX512-NOT: arith.bitcast
// AVX512: %[[RESULT:.*]] = arith.select %[[BELOW]], %{{.*}}, %{{.*}}
// AVX512: return %[[RESULT]]

// CHECK-LABEL: func.func @exponential
// CHECK-NOT: math.exp
// CHECK: math.roundeven %{{.*}} : vector<16xf32>
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK: arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
func.func @exponential(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.exp %x : vector<16xf32>
  return %r : vector<16xf32>
}

// AVX512-LABEL: func.func @scalar
// AVX512-NOT: llvm.call_intrinsic
// AVX512: return

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

// AVX512-LABEL: func.func @scalar_erf
// AVX512-COUNT-7: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// AVX512: return %{{.*}} : f32
func.func @scalar_erf(%x: f32) -> f32 {
  %r = math.erf %x : f32
  return %r : f32
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

// AVX-512 looks up the coefficients of a step's polynomial.
// AVX512-LABEL: func.func @wide_erf
// AVX512-NOT: math.roundeven
// AVX512-COUNT-7: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// AVX512-NOT: llvm.call_intrinsic
// AVX512: return

// CHECK-LABEL: func.func @wide_erf
// CHECK: math.roundeven
func.func @wide_erf(%x: vector<16xf32>) -> (vector<16xbf16>, vector<16xf32>) {
  %r = math.erf %x : vector<16xf32>
  %n = arith.truncf %r : vector<16xf32> to vector<16xbf16>
  return %n, %r : vector<16xbf16>, vector<16xf32>
}

// Angles and powers of 16 bits are computed in f32; f16 angles are never too large, those in bf16 may be.
// CHECK-LABEL: func.func @narrow_angle
// CHECK-NOT: f64
// CHECK-NOT: scf.if
// CHECK: return
func.func @narrow_angle(%x: vector<16xf16>) -> vector<16xf16> {
  %w = arith.extf %x : vector<16xf16> to vector<16xf32>
  %r = math.sin %w : vector<16xf32>
  %n = arith.truncf %r : vector<16xf32> to vector<16xf16>
  return %n : vector<16xf16>
}

// CHECK-LABEL: func.func @narrow_angle_and_power
// CHECK-NOT: f64
// CHECK: scf.if
// CHECK: call @hlo_routine_angle_cos_0_16xf32
// CHECK-NOT: f64
// CHECK: return
func.func @narrow_angle_and_power(%x: vector<16xbf16>, %y: vector<16xbf16>) -> vector<16xbf16> {
  %w = arith.extf %x : vector<16xbf16> to vector<16xf32>
  %v = arith.extf %y : vector<16xbf16> to vector<16xf32>
  %r = math.cos %w : vector<16xf32>
  %n = arith.truncf %r : vector<16xf32> to vector<16xbf16>
  %m = arith.extf %n : vector<16xbf16> to vector<16xf32>
  %p = math.powf %m, %v : vector<16xf32>
  %q = arith.truncf %p : vector<16xf32> to vector<16xbf16>
  return %q : vector<16xbf16>
}

// An angle that f32 has more digits of is reduced in f64; with fused multiplications as a pair of f32, up to 2^22. A routine
// computes larger ones.
// CHECK-LABEL: func.func @wide_angle
// CHECK: f64
// FUSED-LABEL: func.func @wide_angle
// FUSED: arith.constant dense<0x4A800000>
// FUSED-NOT: f64
// FUSED: call @hlo_routine_angle_sin_1_16xf32
// FUSED-NOT: f64
// FUSED: return
func.func @wide_angle(%x: vector<16xf32>) -> vector<16xf16> {
  %r = math.sin %x : vector<16xf32>
  %n = arith.truncf %r : vector<16xf32> to vector<16xf16>
  return %n : vector<16xf16>
}

// AVX512-LABEL: func.func @logarithm
// AVX512: "llvm.x86.avx512.mask.getexp.pd.512"
// AVX512: "llvm.x86.avx512.mask.getmant.pd.512"
// AVX512-NOT: arith.bitcast
// AVX512: return
func.func @logarithm(%x: vector<8xf64>) -> vector<8xf64> {
  %r = math.log %x : vector<8xf64>
  return %r : vector<8xf64>
}

// Vectors of one register that follow each other are expanded as one, up to four of them, of angles two; those that need each other are not.
// FUSED-LABEL: func.func @together
// FUSED: %[[ALL:.*]] = vector.shuffle
// FUSED: math.roundeven %{{.*}} : vector<32xf32>
// FUSED-NOT: math.roundeven
// FUSED-COUNT-4: vector.shuffle %{{.*}} : vector<32xf32>, vector<32xf32>
// FUSED: math.roundeven %{{.*}} : vector<8xf32>
// FUSED: return

// AVX-512's instructions take one register.
// AVX512-LABEL: func.func @together
// AVX512-NOT: vector.shuffle
// AVX512: return
func.func @together(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>, %d: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %0 = math.exp %a : vector<8xf32>
  %1 = math.exp %b : vector<8xf32>
  %2 = math.exp %c : vector<8xf32>
  %3 = math.exp %d : vector<8xf32>
  %4 = math.exp %3 : vector<8xf32>
  return %0, %1, %2, %4 : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
}

// FUSED-LABEL: func.func @angles_together
// FUSED: scf.if %{{.*}} -> (vector<8xf64>)
// FUSED: scf.if %{{.*}} -> (vector<4xf64>)
// FUSED: return
func.func @angles_together(%a: vector<4xf64>, %b: vector<4xf64>, %c: vector<4xf64>) -> (vector<4xf64>, vector<4xf64>, vector<4xf64>) {
  %0 = math.sin %a : vector<4xf64>
  %1 = math.sin %b : vector<4xf64>
  %2 = math.sin %c : vector<4xf64>
  return %0, %1, %2 : vector<4xf64>, vector<4xf64>, vector<4xf64>
}

// AVX2 looks up the coefficients of erf in registers of eight.
// FUSED-LABEL: func.func @erf_by_look_ups
// FUSED-COUNT-9: llvm.call_intrinsic "llvm.x86.avx2.permps"
// FUSED-NOT: permps
// FUSED: return %{{.*}} : vector<8xf32>
func.func @erf_by_look_ups(%x: vector<8xf32>) -> vector<8xf32> {
  %r = math.erf %x : vector<8xf32>
  return %r : vector<8xf32>
}
