// RUN: hlo-opt %s --remarks -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=MODULE < %t
// RUN: hlo-opt %s --remarks --compile-to=memory -o %t 2>&1 | FileCheck %s
// RUN: hlo-opt %s --compile-to=kernels -o %t 2>&1 | count 0

// Both products are one kernel; the sum and its logarithm are fused; sort is a loop.

// CHECK-DAG: remarks.mlir:[[#@LINE+9]]:{{[0-9]+}}: remark: @mul_add_reduce_0: contraction of 1 op (line [[#@LINE+9]]), called 2 times; contraction 64 x 64 x 64 of f32 and f32 to f32: {{.*}} tiles, {{.*}}thread
// CHECK-DAG: remarks.mlir:[[#@LINE+15]]:{{[0-9]+}}: remark: @add_log_0: region of 2 ops (lines [[#@LINE+14]], [[#@LINE+15]]), called once; loop over 4096: vectors of {{[0-9]+}} along dimension 0, {{.*}} thread
// CHECK-DAG: remark: @sort_0: loops, called once
// CHECK-NOT: remark:

// MODULE: func.func @main
// MODULE: func.func private @add_log_0

func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = "stablehlo.sort"(%1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, WEAKORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1> }) {dimension = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.add %s, %y : tensor<64x64xf32>
  %3 = stablehlo.log %2 : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}
