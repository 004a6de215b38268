// RUN: env HLO_CPU=avx512 hlo-opt %s --compile-to=memory | FileCheck %s
// RUN: env HLO_CPU=avx512 hlo-opt %s --compile-to=llvm | FileCheck %s --check-prefix=LLVM

// A counter, the numbers of Fibonacci and a vector of three numbers: all that a step touches is in the function's frame, and what is returned is copied at the end.

// CHECK-LABEL: func.func public @main
// CHECK-SAME:    %[[X:arg0]]: memref<3xf32>, %[[SUM:arg1]]: memref<i32>, %[[OUT:arg2]]: memref<3xf32>
// CHECK-COUNT-4: memref.alloca() {alignment = 64 : i64} : memref<64xi8>
// CHECK:         scf.while
// CHECK:         scf.condition
// CHECK:         func.call @mul_0.code(%[[Y:.*]], %[[Y]]) : (memref<3xf32>, memref<3xf32>) -> ()
// CHECK-NOT:     memref.alloc(
// CHECK:         scf.yield
// CHECK:         memref.copy %{{.*}}, %[[SUM]] : memref<i32> to memref<i32>
// CHECK:         memref.copy %[[Y]], %[[OUT]] : memref<3xf32> to memref<3xf32>

// The code of the steps is in the loop.
// LLVM-NOT: llvm.func @{{.*}}.code
// LLVM: llvm.func @hlo_entry
// LLVM-NOT: llvm.call @{{.*}}.code

func.func @main(%x: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<40> : tensor<i32>
  %r:4 = stablehlo.while(%n = %zero, %a = %zero, %b = %one, %y = %x) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xf32>
  cond {
    %c = stablehlo.compare LT, %n, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %m = stablehlo.add %n, %one : tensor<i32>
    %s = stablehlo.add %a, %b : tensor<i32>
    %z = stablehlo.multiply %y, %y : tensor<3xf32>
    stablehlo.return %m, %b, %s, %z : tensor<i32>, tensor<i32>, tensor<i32>, tensor<3xf32>
  }
  return %r#1, %r#3 : tensor<i32>, tensor<3xf32>
}
