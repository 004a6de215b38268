// A loop whose steps one block of threads can do is one launch, with what the host copied in front of it: the host has no loop.
// RUN: hlo-opt %s --target=gpu --compile-to=memory | FileCheck %s

// CHECK-LABEL: func.func public @main
// CHECK-NOT:     scf.while
// CHECK-NOT:     memref.copy
// CHECK:         gpu.launch_func @gpu::@[[ONE:.*]] blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
// CHECK:       gpu.func @[[ONE]]({{.*}}hlo.decision = "{{.*}} small launches as one"
// CHECK:         scf.while
// CHECK:           arith.cmpi slt
// CHECK:           gpu.barrier
// CHECK:           %[[C:.*]] = arith.trunci
// CHECK:           gpu.barrier
// CHECK:           scf.condition(%[[C]])
// CHECK:           arith.mulf
// CHECK:           gpu.barrier
// CHECK-NOT:   gpu.func
func.func @main(%x: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.multiply %v, %v : tensor<16xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<16xf32>
  }
  return %0#1 : tensor<16xf32>
}
