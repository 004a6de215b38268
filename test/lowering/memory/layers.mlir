// RUN: hlo-opt %s --schedule-kernels --emit-kernels --bufferize-host --canonicalize | FileCheck %s

// A layer is called like a kernel: its temporaries are part of the caller's, its constant is handed over by the program.

func.func private @add(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {hlo.kernel = "loops"} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK: module attributes {hlo.arena = 128 : i64
// CHECK: "hlo.constant"() {type = tensor<4xf32>, value = dense<[1.0
// CHECK: func.func public @main(%[[X:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>, %[[C:.*]]: memref<4xf32>, %{{.*}}: !llvm.ptr, %[[ARENA:.*]]: memref<128xi8>)
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[MIDDLE:.*]] = memref.view %[[ARENA]][%[[C64]]][] : memref<128xi8> to memref<4xf32>
// CHECK: %[[WORKSPACE:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<128xi8> to memref<64xi8>
// CHECK: call @layer_0.host(%[[X]], %[[C]], %[[MIDDLE]], %[[WORKSPACE]])
// CHECK: %[[AGAIN:.*]] = memref.view %[[ARENA]][%[[C64]]][] : memref<128xi8> to memref<4xf32>
// CHECK: call @layer_0.host(%[[AGAIN]], %[[C]], %[[R]], %{{.*}})
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @layer_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @layer_0(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK: func.func private @layer_0.host(%[[X:.*]]: memref<4xf32>, %[[C:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>, %[[SCRATCH:.*]]: memref<64xi8>)
// CHECK: %[[T:.*]] = memref.view %[[SCRATCH]]
// CHECK: call @add.code(%[[X]], %[[C]], %[[T]])
// CHECK: call @add.code(%{{.*}}, %[[X]], %[[R]])
func.func private @layer_0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hlo.layer} {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = call @add(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @add(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-NOT: tensor<
