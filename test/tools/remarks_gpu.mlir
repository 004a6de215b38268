// RUN: hlo-opt %s --target=gpu --compile-to=memory --remarks -o %t 2>&1 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: hlo-opt %s --target=gpu --compile-to=ptx --gpu-arch=sm_90a --remarks -o %t 2>&1 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: not hlo-opt %s --target=gpu --compile-to=kernels --remarks 2>&1 | FileCheck %s --check-prefix=EARLY

// EARLY: hlo-opt: error: --remarks: --compile-to=kernels stops before the phase 'memory', which decides

// SM80-DAG: remarks_gpu.mlir:[[#@LINE+8]]:{{[0-9]+}}: remark: @{{[a-z_0-9]+}}: contraction 2048 x 2048 x 512 of bf16 and f32: tiles of 128 x 128 by mma.sync, 8 warps, {{.*}}; 256 blocks of 256 threads, {{[0-9.]+}} KiB of shared memory each
// SM90-DAG: remarks_gpu.mlir:[[#@LINE+7]]:{{[0-9]+}}: remark: @{{[a-z_0-9]+}}: contraction 2048 x 2048 x 512 of bf16 and f32: tiles of 128 x {{[0-9]+}} by wgmma, {{.*}} threads
// CHECK-DAG: remarks_gpu.mlir:[[#@LINE+7]]:{{[0-9]+}}: remark: @{{[a-z_0-9]+}}: a thread for 4 neighbours of 2097152; 2048 blocks of 256 threads
// CHECK-DAG: remarks_gpu.mlir:[[#@LINE+7]]:{{[0-9]+}}: remark: @{{[a-z_0-9]+}}: tiles of {{.*}} of 2048x2048 transposed in shared memory, {{.*}}
// CHECK-DAG: remarks_gpu.mlir:[[#@LINE+8]]:{{[0-9]+}}: remark: @{{[a-z_0-9]+}}: 2048 elements to each of 2048: 256 threads for a result, 4 neighbours at once; 2048 blocks of 256 threads

func.func @main(%x: tensor<2048x512xbf16>, %y: tensor<512x2048xbf16>, %z: tensor<2048x2048xf32>, %w: tensor<1024x2048xf32>)
    -> (tensor<2048x2048xf32>, tensor<1024x2048xf32>, tensor<2048x2048xf32>, tensor<2048xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2048x512xbf16>, tensor<512x2048xbf16>) -> tensor<2048x2048xf32>
  %1 = stablehlo.exponential %w : tensor<1024x2048xf32>
  %2 = stablehlo.transpose %z, dims = [1, 0] : (tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048xf32>
  return %0, %1, %2, %3 : tensor<2048x2048xf32>, tensor<1024x2048xf32>, tensor<2048x2048xf32>, tensor<2048xf32>
}
