// RUN: hlo-opt %s --emulate-instructions=target=baseline | FileCheck %s
// RUN: hlo-opt %s --emulate-instructions=target=armv7 | FileCheck %s --check-prefix=ARM
// RUN: hlo-opt %s --emulate-instructions=target=avx2 | FileCheck %s --check-prefix=ALL
// RUN: hlo-opt %s --emulate-instructions=target=amx | FileCheck %s --check-prefix=AMX

// Products of f32 are exact in f64.

// CHECK-LABEL: func.func @single
// CHECK-DAG: %[[A:.*]] = arith.extf %arg0 : vector<4xf32> to vector<4xf64>
// CHECK-DAG: %[[B:.*]] = arith.extf %arg1 : vector<4xf32> to vector<4xf64>
// CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : vector<4xf64>
// CHECK: %[[S:.*]] = arith.addf %[[P]], %{{.*}} : vector<4xf64>
// CHECK: arith.truncf %[[S]] : vector<4xf64> to vector<4xf32>
// ARM-LABEL: func.func @single
// ARM: math.fma
// ALL-LABEL: func.func @single
// ALL: math.fma
func.func @single(%arg0: vector<4xf32>, %arg1: vector<4xf32>, %arg2: vector<4xf32>) -> vector<4xf32> {
  %r = math.fma %arg0, %arg1, %arg2 : vector<4xf32>
  return %r : vector<4xf32>
}

// CHECK-LABEL: func.func @double
// CHECK-NOT: math.fma
// CHECK: arith.mulf %{{.*}} : f64
func.func @double(%arg0: f64, %arg1: f64, %arg2: f64) -> f64 {
  %r = math.fma %arg0, %arg1, %arg2 : f64
  return %r : f64
}

// CHECK-LABEL: func.func @rounded_twice
// CHECK: %[[P:.*]] = arith.mulf %arg0, %arg1 : f32
// CHECK: arith.addf %[[P]], %arg2 : f32
func.func @rounded_twice(%arg0: f32, %arg1: f32, %arg2: f32) -> f32 {
  %r = math.fma %arg0, %arg1, %arg2 fastmath<contract> : f32
  return %r : f32
}

// CHECK-LABEL: func.func @rounded
// CHECK-NOT: math.roundeven
// ARM-LABEL: func.func @rounded
// ARM-NOT: math.roundeven
// ALL-LABEL: func.func @rounded
// ALL: math.roundeven
func.func @rounded(%arg0: vector<4xf32>) -> vector<4xf32> {
  %r = math.roundeven %arg0 : vector<4xf32>
  return %r : vector<4xf32>
}

// CHECK-LABEL: func.func @largest
// CHECK: arith.maximumf
// ARM-LABEL: func.func @largest
// ARM-NOT: arith.maximumf
// ARM: arith.andi %{{.*}} : i64
// ALL-LABEL: func.func @largest
// ALL: arith.maximumf
func.func @largest(%arg0: f64, %arg1: f64) -> f64 {
  %r = arith.maximumf %arg0, %arg1 : f64
  return %r : f64
}

// ARM-LABEL: func.func @largest_single
// ARM: arith.maximumf
func.func @largest_single(%arg0: vector<4xf32>, %arg1: vector<4xf32>) -> vector<4xf32> {
  %r = arith.maximumf %arg0, %arg1 : vector<4xf32>
  return %r : vector<4xf32>
}

// Vectors of integers are divided in floats that hold them exactly; scalars and constant divisors are left to LLVM.

// ALL-LABEL: func.func @remainder
// ALL-DAG: %[[A:.*]] = arith.sitofp %arg0 : vector<8xi32> to vector<8xf64>
// ALL-DAG: %[[B:.*]] = arith.sitofp %arg1 : vector<8xi32> to vector<8xf64>
// ALL: %[[Q:.*]] = arith.divf %[[A]], %[[B]]
// ALL: %[[T:.*]] = math.trunc %[[Q]]
// ALL: %[[P:.*]] = arith.mulf %[[T]], %[[B]]
// ALL: %[[R:.*]] = arith.subf %[[A]], %[[P]]
// ALL: arith.fptosi %[[R]] : vector<8xf64> to vector<8xi32>
func.func @remainder(%arg0: vector<8xi32>, %arg1: vector<8xi32>) -> vector<8xi32> {
  %r = arith.remsi %arg0, %arg1 : vector<8xi32>
  return %r : vector<8xi32>
}

// ALL-LABEL: func.func @quotient
// ALL: arith.divf {{.*}} : vector<16xf32>
// ALL: arith.fptoui {{.*}} : vector<16xf32> to vector<16xi16>
func.func @quotient(%arg0: vector<16xi16>, %arg1: vector<16xi16>) -> vector<16xi16> {
  %r = arith.divui %arg0, %arg1 : vector<16xi16>
  return %r : vector<16xi16>
}

// ALL-LABEL: func.func @left_alone
// ALL: arith.divsi {{.*}} : vector<4xi32>
// ALL: arith.divsi {{.*}} : vector<4xi64>
// ALL: arith.divsi {{.*}} : i32
func.func @left_alone(%arg0: vector<4xi32>, %arg1: vector<4xi64>, %arg2: i32) -> (vector<4xi32>, vector<4xi64>, i32) {
  %seven = arith.constant dense<7> : vector<4xi32>
  %a = arith.divsi %arg0, %seven : vector<4xi32>
  %b = arith.divsi %arg1, %arg1 : vector<4xi64>
  %c = arith.divsi %arg2, %arg2 : i32
  return %a, %b, %c : vector<4xi32>, vector<4xi64>, i32
}

// Of two vectors of 64-bit words, the larger ones have the bits that the smaller ones leave; other maxima stay.
// AMX-LABEL: func.func @sorted_pair
// AMX-DAG: %[[S:.*]] = arith.minui %arg0, %arg1 : vector<8xi64>
// AMX-DAG: %[[X:.*]] = arith.xori %arg0, %arg1 : vector<8xi64>
// AMX: %[[L:.*]] = arith.xori %[[X]], %[[S]] : vector<8xi64>
// AMX: return %[[S]], %[[L]]
// ALL-LABEL: func.func @sorted_pair
// ALL: arith.maxui
func.func @sorted_pair(%arg0: vector<8xi64>, %arg1: vector<8xi64>) -> (vector<8xi64>, vector<8xi64>) {
  %s = arith.minui %arg0, %arg1 : vector<8xi64>
  %l = arith.maxui %arg0, %arg1 : vector<8xi64>
  return %s, %l : vector<8xi64>, vector<8xi64>
}

// AMX-LABEL: func.func @other_maxima
// AMX-COUNT-3: arith.maxui
func.func @other_maxima(%arg0: vector<8xi64>, %arg1: vector<8xi64>, %arg2: vector<16xi32>, %arg3: vector<16xi32>) -> (vector<8xi64>, vector<16xi32>, vector<8xi64>) {
  %0 = arith.maxui %arg0, %arg1 : vector<8xi64>
  %1 = arith.minui %arg0, %0 : vector<8xi64>
  %2 = arith.minui %arg2, %arg3 : vector<16xi32>
  %3 = arith.maxui %arg2, %arg3 : vector<16xi32>
  %4 = arith.addi %2, %3 : vector<16xi32>
  %5 = arith.maxui %1, %arg1 : vector<8xi64>
  return %0, %4, %5 : vector<8xi64>, vector<16xi32>, vector<8xi64>
}
