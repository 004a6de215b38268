// What works row by row is one launch: rows of temporaries in shared memory, reductions by a block's threads.
// RUN: hlo-opt %s --target=gpu --compile-to=device | FileCheck %s
// RUN: hlo-opt %s --target=gpu --compile-to=ptx | FileCheck %s --check-prefix=PTX

// CHECK: gpu.func @{{.*}}(%[[R:.*]]: memref<200xf32>, %[[X:.*]]: memref<200x1024xf32>) workgroup({{.*}}) kernel attributes {{{.*}}known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 200, 1, 1>
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %c200
// CHECK: vector.load %[[X]][%[[ROW]], %{{.*}}] {alignment = 16 : i64} : memref<200x1024xf32>, vector<4xf32>
// CHECK: gpu.shuffle {{.*}}xor
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[R]][%{{.*}}]
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func

// PTX: ld.global.v4.b32
// PTX: shfl.sync.bfly.b32
// PTX: bar.sync
func.func @main(%x: tensor<200x1024xf32>) -> tensor<200xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.multiply %x, %x : tensor<200x1024xf32>
  %t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<200x1024xf32>, tensor<f32>) -> tensor<200xf32>
  return %t : tensor<200xf32>
}
