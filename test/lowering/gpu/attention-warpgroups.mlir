// Attention on sm_90a: a block a multiprocessor takes tiles in turns; one warpgroup brings queries, keys and values by TMA, two
// multiply by wgmma: scores from shared memory, weights from registers, both under way at a time.
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90a --compile-to=ptx | FileCheck %s
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90a --compile-to=memory | FileCheck %s --check-prefix=LAUNCH
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90a --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: @attention_0_0: attention of 16 x 2048 queries and 2048 keys of 128, values of 128; tiles of 128 queries, 128 keys that it sees a step, by wgmma: one warpgroup copies by TMA, 2 multiply; 132 blocks of 384 threads, 224 KiB of shared memory each
// REMARK: @attention_1_0: attention of 1 x 128 queries and 128 keys of 32, values of 32; 64 queries a block, 64 keys a step, by mma.sync (not wgmma: less than 64 tiles of 128 queries)

// LAUNCH: gpu.launch_func {{.*}} blocks in (%c132, %c1, %c1) threads in (%c384, %c1, %c1) dynamic_shared_memory_size %c229376_i32
// LAUNCH-SAME: hlo.tensor_maps = [{box = array<i64: 64, 128, 1>, kind = "bf16", sizes = array<i64: 128, 2048, 16>, strides = array<i64: 256, 524288>}, {box = array<i64: 64, 128, 1>
// LAUNCH: gpu.launch_func {{.*}} blocks in (%c2, %c1, %c1)

// CHECK: .entry attention_0_0
// CHECK: .maxntid 384, 1, 1
// CHECK: .minnctapersm 1
// CHECK: mbarrier.init.shared.b64
// CHECK: setmaxnreg.inc.sync.aligned.u32 232
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, p, 1,  1, 0,  0;
// CHECK: wgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: ex2.approx.ftz.f32
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {{[{]%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+[}]}}, %rd{{[0-9]+}}, p, 1, 1, 1;
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, p, 1,  1, 0,  0;
// CHECK: wgmma.commit_group
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {{[{]%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+[}]}}, %rd{{[0-9]+}}, p, 1, 1, 1;
// CHECK: wgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: ex2.approx.ftz.f32
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: setmaxnreg.dec.sync.aligned.u32 40
// CHECK: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK: .entry attention_1_0
// CHECK: mma.sync
func.func @main(%q: tensor<16x2048x128xbf16>, %k: tensor<16x2048x128xbf16>, %v: tensor<16x2048x128xbf16>,
    %q1: tensor<1x128x32xbf16>) -> (tensor<16x2048x128xbf16>, tensor<1x128x32xbf16>) {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %far = stablehlo.constant dense<0xFF800000> : tensor<16x2048x2048xf32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<16x2048x128xbf16>, tensor<16x2048x128xbf16>) -> tensor<16x2048x2048xf32>
  %i = stablehlo.iota dim = 1 : tensor<16x2048x2048xi32>
  %j = stablehlo.iota dim = 2 : tensor<16x2048x2048xi32>
  %c = stablehlo.compare GE, %i, %j : (tensor<16x2048x2048xi32>, tensor<16x2048x2048xi32>) -> tensor<16x2048x2048xi1>
  %2 = stablehlo.select %c, %0, %far : tensor<16x2048x2048xi1>, tensor<16x2048x2048xf32>
  %3 = stablehlo.reduce(%2 init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<16x2048x2048xf32>, tensor<f32>) -> tensor<16x2048xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<16x2048xf32>) -> tensor<16x2048x2048xf32>
  %5 = stablehlo.subtract %2, %4 : tensor<16x2048x2048xf32>
  %6 = stablehlo.exponential %5 : tensor<16x2048x2048xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<16x2048x2048xf32>, tensor<f32>) -> tensor<16x2048xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<16x2048xf32>) -> tensor<16x2048x2048xf32>
  %9 = stablehlo.divide %6, %8 : tensor<16x2048x2048xf32>
  %10 = stablehlo.convert %9 : (tensor<16x2048x2048xf32>) -> tensor<16x2048x2048xbf16>
  %11 = stablehlo.dot_general %10, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x2048x2048xbf16>, tensor<16x2048x128xbf16>) -> tensor<16x2048x128xbf16>
  %s0 = stablehlo.dot_general %q1, %q1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<1x128x32xbf16>, tensor<1x128x32xbf16>) -> tensor<1x128x128xf32>
  %s3 = stablehlo.reduce(%s0 init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<1x128x128xf32>, tensor<f32>) -> tensor<1x128xf32>
  %s4 = stablehlo.broadcast_in_dim %s3, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<1x128x128xf32>
  %s5 = stablehlo.subtract %s0, %s4 : tensor<1x128x128xf32>
  %s6 = stablehlo.exponential %s5 : tensor<1x128x128xf32>
  %s7 = stablehlo.reduce(%s6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x128x128xf32>, tensor<f32>) -> tensor<1x128xf32>
  %s8 = stablehlo.broadcast_in_dim %s7, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<1x128x128xf32>
  %s9 = stablehlo.divide %s6, %s8 : tensor<1x128x128xf32>
  %s10 = stablehlo.convert %s9 : (tensor<1x128x128xf32>) -> tensor<1x128x128xbf16>
  %s11 = stablehlo.dot_general %s10, %q1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x128x128xbf16>, tensor<1x128x32xbf16>) -> tensor<1x128x32xbf16>
  return %11, %s11 : tensor<16x2048x128xbf16>, tensor<1x128x32xbf16>
}
