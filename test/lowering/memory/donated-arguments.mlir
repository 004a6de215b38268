// RUN: hlo-opt %s --schedule-kernels --emit-kernels --bufferize-host --canonicalize | FileCheck %s

// Argument 0 is donated: both calls work in its memory, where the result is left; argument 1 stays as it is.

module attributes {hlo.donated = array<i64: 0>} {
func.func private @double(%x: tensor<4xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<4xf32> attributes {hlo.kernel = "loops"} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK: module attributes {hlo.arena = 0 : i64, {{.*}}hlo.in_donated = array<i64: 0, 1>}
// CHECK: func.func public @main(%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xf32>, %{{.*}}: !llvm.ptr
// CHECK-NEXT: call @double.code(%[[Y]], %[[R]])
// CHECK-NEXT: call @double.code(%[[X]], %[[X]])
// CHECK-NEXT: call @double.code(%[[X]], %[[X]])
// CHECK-NEXT: return
func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @double(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @double(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
}
