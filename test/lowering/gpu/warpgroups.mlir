// sm_90a: as many blocks as multiprocessors, which take tiles in turns; one warpgroup brings boxes by TMA, two multiply them by
// wgmma, and compute and write what follows through shared memory, 32 columns at a time.
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90a --compile-to=ptx | FileCheck %s
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90 --compile-to=ptx | FileCheck %s --check-prefix=OTHER
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90a --compile-to=memory | FileCheck %s --check-prefix=LAUNCH

// CHECK: .entry
// CHECK: .param .align 64 .b8 {{.*}}[128]
// CHECK: .maxntid 384, 1, 1
// CHECK: .minnctapersm 1
// CHECK: mbarrier.init.shared.b64
// CHECK: bar.sync 0
// CHECK: setmaxnreg.inc.sync.aligned.u32 232
// CHECK: mbarrier.try_wait.parity
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: mbarrier.arrive.shared.b64
// CHECK: bar.sync %{{r[0-9]+}}, 128
// CHECK: st.shared.v2.b32
// CHECK: bar.sync %{{r[0-9]+}}, 128
// CHECK: st.global.v4.b32
// CHECK: setmaxnreg.dec.sync.aligned.u32 40
// CHECK: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
// CHECK-NOT: .entry

// OTHER-NOT: wgmma
// OTHER: mma.sync

// LAUNCH: gpu.launch_func {{.*}} blocks in (%c132, %c1, %c1) threads in (%c384, %c1, %c1) dynamic_shared_memory_size %c217088_i32
// LAUNCH-SAME: hlo.tensor_maps = [{box = array<i64: 64, 128>, kind = "bf16", sizes = array<i64: 512, 4096>, strides = array<i64: 1024>}, {box = array<i64: 64, 64>, kind = "bf16", sizes = array<i64: 4096, 512>, strides = array<i64: 8192>}]
func.func @main(%x: tensor<4096x512xbf16>, %w: tensor<512x4096xbf16>, %bias: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x512xbf16>, tensor<512x4096xbf16>) -> tensor<4096x4096xbf16>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4096xbf16>) -> tensor<4096x4096xbf16>
  %2 = stablehlo.add %0, %1 : tensor<4096x4096xbf16>
  return %2 : tensor<4096x4096xbf16>
}
