// What works row by row is one launch: rows of temporaries in shared memory, reductions by a block's threads.
// RUN: hlo-opt %s --target=gpu --compile-to=device | FileCheck %s
// RUN: hlo-opt %s --target=gpu --compile-to=ptx | FileCheck %s --check-prefix=PTX

// CHECK: gpu.func @{{.*}}(%[[X:.*]]: memref<200x1024xf32>, %[[R:.*]]: memref<200x1024xf32>) workgroup({{.*}}) kernel attributes {{{.*}}known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 200, 1, 1>
// CHECK-DAG: %[[ALL:.*]] = memref.reinterpret_cast %[[X]]
// CHECK-DAG: %[[RESULT:.*]] = memref.reinterpret_cast %[[R]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %c200
// CHECK: vector.load %[[ALL]][%{{.*}}] {alignment = 16 : i64} : memref<204800xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: gpu.shuffle {{.*}}xor
// CHECK: gpu.barrier
// CHECK: vector.load %{{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, %[[RESULT]][%{{.*}}] {alignment = 16 : i64}
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func

// PTX: ld.global.v4.b32
// PTX: shfl.sync.bfly.b32
// PTX: bar.sync
func.func @main(%x: tensor<200x1024xf32>) -> tensor<200x1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<200x1024xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<200x1024xf32>, tensor<f32>) -> tensor<200xf32>
  %b = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<200xf32>) -> tensor<200x1024xf32>
  %r = stablehlo.divide %e, %b : tensor<200x1024xf32>
  return %r : tensor<200x1024xf32>
}
