// RUN: hlo-opt %s --schedule-kernels --emit-kernels --bufferize-host --canonicalize | FileCheck %s

// The chain is made in the result's memory; the tied argument is copied there first; booleans are bytes.

func.func private @double(%x: tensor<4xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<4xf32> attributes {hlo.kernel = "loops"} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @mark(%x: tensor<4xi1> {hlo.tied = 0 : i64}) -> tensor<4xi1> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %r = tensor.insert %true into %x[%c0] : tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK: module attributes {hlo.arena = 0 : i64, hlo.custom_calls = [], hlo.entry = "main"}
// CHECK: func.func public @main(%[[X:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xi8>, %[[R:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xi8>, %{{.*}}: !llvm.ptr
// CHECK-NEXT: call @double.code(%[[X]], %[[R]])
// CHECK-NEXT: call @double.code(%[[R]], %[[R]])
// CHECK-NEXT: memref.copy %[[B]], %[[S]]
// CHECK-NEXT: call @mark.code(%[[S]])
// CHECK-NEXT: return
func.func public @main(%x: tensor<4xf32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %0 = call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @double(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @mark(%b) : (tensor<4xi1>) -> tensor<4xi1>
  return %1, %2 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-NOT: tensor<
