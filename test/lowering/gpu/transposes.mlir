// Neighbouring threads read neighbours of the input, and write neighbours of the result; in between a tile in shared memory.
// RUN: hlo-opt %s --split-input-file --target=gpu --compile-to=device | FileCheck %s

// CHECK: gpu.func @{{.*}}(%[[X:.*]]: memref<512x1024xf32>, %[[R:.*]]: memref<1024x512xf32>) workgroup(%[[T:.*]] : memref<32x33xf32, #gpu.address_space<workgroup>>
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 512, 1, 1>
// CHECK-DAG: %[[FROM:.*]] = memref.reinterpret_cast %[[X]]
// CHECK-DAG: %[[TO:.*]] = memref.reinterpret_cast %[[R]]
// CHECK: scf.for
// CHECK: memref.load %[[FROM]]
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: memref.load %[[T]]
// CHECK: memref.store %{{.*}}, %[[TO]]
// CHECK: gpu.barrier
func.func @main(%x: tensor<512x1024xf32>) -> tensor<1024x512xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
  return %0 : tensor<1024x512xf32>
}

// -----

// Two of two bytes fill a word.
// CHECK: gpu.func @{{.*}}(%[[X:.*]]: memref<512x1024xbf16>, %[[R:.*]]: memref<1024x512xbf16>) workgroup(%[[T:.*]] : memref<64x65xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[FROM:.*]] = memref.reinterpret_cast %[[X]]
// CHECK-DAG: %[[TO:.*]] = memref.reinterpret_cast %[[R]]
// CHECK: vector.load %[[FROM]]{{.*}} {alignment = 4 : i64} : memref<524288xbf16>, vector<2xbf16>
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[T]]
// CHECK: memref.load %[[T]]
// CHECK: vector.store %{{.*}}, %[[TO]]{{.*}} {alignment = 4 : i64}
func.func @main(%x: tensor<512x1024xbf16>) -> tensor<1024x512xbf16> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<512x1024xbf16>) -> tensor<1024x512xbf16>
  return %0 : tensor<1024x512xbf16>
}

// -----

// Four booleans, which are bytes in memory, fill a word.
// CHECK: gpu.func @{{.*}}(%[[X:.*]]: memref<512x1024xi8>, %[[R:.*]]: memref<1024x512xi8>) workgroup(%[[T:.*]] : memref<128x129xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[FROM:.*]] = memref.reinterpret_cast %[[X]]
// CHECK-DAG: %[[TO:.*]] = memref.reinterpret_cast %[[R]]
// CHECK: vector.load %[[FROM]]{{.*}} {alignment = 4 : i64} : memref<524288xi8>, vector<4xi8>
// CHECK-COUNT-4: memref.store %{{.*}}, %[[T]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[T]]
// CHECK: vector.store %{{.*}}, %[[TO]]{{.*}} {alignment = 4 : i64}
func.func @main(%x: tensor<512x1024xi1>) -> tensor<1024x512xi1> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<512x1024xi1>) -> tensor<1024x512xi1>
  return %0 : tensor<1024x512xi1>
}
