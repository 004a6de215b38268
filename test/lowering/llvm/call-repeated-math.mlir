// RUN: hlo-opt %s --call-repeated-math | FileCheck %s

// What has a long expansion and is repeated becomes calls; of two vectors where one op follows another that it does not need.

// CHECK-LABEL: func.func private @math.powf.0.2x8xf64(%arg0: vector<8xf64>, %arg1: vector<8xf64>, %arg2: vector<8xf64>, %arg3: vector<8xf64>)
// CHECK-NEXT: %[[A:.*]] = math.powf %arg0, %arg1 : vector<8xf64>
// CHECK-NEXT: %[[B:.*]] = math.powf %arg2, %arg3 : vector<8xf64>
// CHECK-NEXT: return %[[A]], %[[B]]

// CHECK-LABEL: func.func @repeated
// CHECK-NEXT: %[[P:.*]]:2 = call @math.powf.0.2x8xf64(%arg0, %arg1, %arg1, %arg1)
// CHECK-NEXT: %[[Q:.*]]:2 = call @math.powf.0.2x8xf64(%[[P]]#0, %[[P]]#1, %[[P]]#0, %[[P]]#1)
// CHECK-NEXT: %[[R:.*]]:2 = call @math.powf.0.2x8xf64(%[[Q]]#0, %[[P]]#1, %[[Q]]#0, %[[P]]#1)
// CHECK-NEXT: return %[[R]]#0
func.func @repeated(%x: vector<8xf64>, %y: vector<8xf64>) -> vector<8xf64> {
  %0 = math.powf %x, %y : vector<8xf64>
  %1 = math.powf %y, %y : vector<8xf64>
  %2 = math.powf %0, %1 : vector<8xf64>
  %3 = math.powf %2, %1 : vector<8xf64>
  return %3 : vector<8xf64>
}

// A loop has a function for one vector. What one function of a kernel calls, the others call, too.

// CHECK-LABEL: func.func @kernel.code(
// CHECK-COUNT-1: call @math.powf.0.2x8xf64
// CHECK: return
func.func @kernel.code(%x: vector<8xf64>, %y: vector<8xf64>) -> vector<8xf64> {
  %0 = math.powf %x, %y : vector<8xf64>
  return %0 : vector<8xf64>
}

// CHECK-LABEL: func.func @kernel.code.0
// CHECK: scf.for
// CHECK-COUNT-1: call @math.powf.0.2x8xf64
// CHECK-COUNT-2: call @math.powf.{{.}}.1x8xf64
// CHECK: scf.yield
func.func @kernel.code.0(%x: vector<8xf64>, %y: vector<8xf64>, %n: index) -> vector<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> (vector<8xf64>) {
    %0 = math.powf %z, %y : vector<8xf64>
    %1 = math.powf %y, %y : vector<8xf64>
    %2 = math.powf %0, %1 : vector<8xf64>
    %3 = math.powf %2, %1 : vector<8xf64>
    scf.yield %3 : vector<8xf64>
  }
  return %most : vector<8xf64>
}

// Fewer, short expansions, powers that are multiplications, and what is rounded to 16 bits stay.

// CHECK-LABEL: func.func @few
// CHECK-COUNT-3: math.powf
func.func @few(%x: vector<8xf64>, %y: vector<8xf64>) -> vector<8xf64> {
  %0 = math.powf %x, %y : vector<8xf64>
  %1 = math.powf %0, %y : vector<8xf64>
  %2 = math.powf %1, %y : vector<8xf64>
  return %2 : vector<8xf64>
}

// CHECK-LABEL: func.func @multiplications
// CHECK-COUNT-8: math.powf
func.func @multiplications(%x: vector<16xf32>) -> vector<16xf32> {
  %c = arith.constant dense<3.0> : vector<16xf32>
  %0 = math.powf %x, %c : vector<16xf32>
  %1 = math.powf %0, %c : vector<16xf32>
  %2 = math.powf %1, %c : vector<16xf32>
  %3 = math.powf %2, %c : vector<16xf32>
  %4 = math.powf %3, %c : vector<16xf32>
  %5 = math.powf %4, %c : vector<16xf32>
  %6 = math.powf %5, %c : vector<16xf32>
  %7 = math.powf %6, %c : vector<16xf32>
  return %7 : vector<16xf32>
}

// An exponent that is a constant is a part of the function.

// CHECK-LABEL: func.func @constant_exponent
// CHECK-COUNT-4: call @math.powf.{{.}}.1x8xf64(%{{[^,]*}}) : (vector<8xf64>) -> vector<8xf64>
func.func @constant_exponent(%x: vector<8xf64>) -> vector<8xf64> {
  %c = arith.constant dense<2.7> : vector<8xf64>
  %0 = math.powf %x, %c : vector<8xf64>
  %1 = math.powf %0, %c : vector<8xf64>
  %2 = math.powf %1, %c : vector<8xf64>
  %3 = math.powf %2, %c : vector<8xf64>
  return %3 : vector<8xf64>
}
