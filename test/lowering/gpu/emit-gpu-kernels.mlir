// One launch for each loop nest of a region kernel: one thread per 16 bytes, in reductions threads that share results; loops whose iterations depend on each other are done by one thread.
// RUN: hlo-opt %s --emit-gpu-kernels | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#first1 = affine_map<(d0) -> (d0)>
#first = affine_map<(d0, d1) -> (d0)>

// CHECK: module attributes {gpu.container_module}
module {
  // CHECK: func.func private @sums(%{{.*}}: tensor<300x7xf32>) -> tensor<300xf32> attributes {hlo.code = @sums.code, hlo.kernel = "region"}
  func.func private @sums(%x: tensor<300x7xf32>) -> tensor<300xf32> attributes {hlo.kernel = "region"} {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<300xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<300xf32>) -> tensor<300xf32>
    %sum = linalg.generic {indexing_maps = [#row, #first], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<300x7xf32>) outs(%start : tensor<300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    } -> tensor<300xf32>
    return %sum : tensor<300xf32>
  }

  func.func private @doubled(%x: tensor<300xf32>) -> tensor<300xf32> attributes {hlo.kernel = "region"} {
    %empty = tensor.empty() : tensor<300xf32>
    %sum = linalg.generic {indexing_maps = [#first1, #first1], iterator_types = ["parallel"]}
        ins(%x : tensor<300xf32>) outs(%empty : tensor<300xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %in, %in : f32
      linalg.yield %0 : f32
    } -> tensor<300xf32>
    return %sum : tensor<300xf32>
  }

  // The flag is stored as a byte; the write at a position read from memory is one thread's work.
  // CHECK: func.func private @mark(
  func.func private @mark(%flags: tensor<8xi1> {hlo.tied = 0 : i64}, %at: tensor<i64>) -> tensor<8xi1> attributes {hlo.kernel = "loops"} {
    %true = arith.constant true
    %position = tensor.extract %at[] : tensor<i64>
    %index = arith.index_cast %position : i64 to index
    %done = tensor.insert %true into %flags[%index] : tensor<8xi1>
    return %done : tensor<8xi1>
  }
}

// CHECK: gpu.module @gpu
// CHECK:   gpu.func @sums_0(%[[X:.*]]: memref<300x7xf32>, %[[R:.*]]: memref<300xf32>) kernel attributes {{{.*}}hlo.decision = "7 elements to each of 300: 8 threads for a result", known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 10, 1, 1>
// CHECK:     %[[ALL:.*]] = memref.reinterpret_cast %[[X]]
// CHECK:     %[[THREAD:.*]] = gpu.thread_id x
// CHECK:     %[[PARTIAL:.*]]:2 = scf.for {{.*}} -> (index, f32)
// CHECK:       memref.load %[[ALL]]
// CHECK:     gpu.shuffle xor %[[PARTIAL]]#1
// CHECK:       arith.addf %cst
// CHECK:       scf.if
// CHECK-NEXT:  memref.store %{{.*}}, %[[R]]
// CHECK:   gpu.func @doubled_0(%{{.*}}: memref<300xf32>, %{{.*}}: memref<300xf32>) kernel attributes {{{.*}}known_block_size = array<i32: 96, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK:     scf.for %[[TILE:.*]] = %[[BLOCK]] to %c1{{.*}} step %c1
// CHECK:       %[[FIRST:.*]] = arith.muli %[[TILE]], %c96
// CHECK:       %[[ITEM:.*]] = arith.addi %[[FIRST]], %[[THREAD]]
// CHECK:       arith.cmpi ult, %[[ITEM]], %c75
// CHECK:       vector.store %{{.*}} {alignment = 16 : i64} : memref<300xf32>, vector<4xf32>
// CHECK:   gpu.func @mark_0(%{{.*}}: memref<8xi8>, %{{.*}}: memref<i64>) kernel attributes {{{.*}}known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>

// CHECK: func.func private @sums.code(%[[X:.*]]: memref<300x7xf32>, %[[R:.*]]: memref<300xf32>)
// CHECK:   gpu.launch_func @gpu::@sums_0 blocks in (%c10{{.*}}) threads in (%c256{{.*}}) args(%[[X]] : memref<300x7xf32>, %[[R]] : memref<300xf32>)
// CHECK:   return
// CHECK: func.func private @mark.code(%{{.*}}: memref<8xi8>, %{{.*}}: memref<i64>)
