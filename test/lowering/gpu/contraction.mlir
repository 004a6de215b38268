// Tiles come by cp.async, fragments by ldmatrix; bias, activation and residual are applied to the sums, 16 bytes a thread.
// RUN: hlo-opt %s --split-input-file --target=gpu --compile-to=ptx | FileCheck %s

// CHECK: .extern .shared .align 1024 .b8 __dynamic_shmem__0[]
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, 16
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group{{.*}}2
// CHECK: bar.sync
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: st.shared.v2.b32
// CHECK-DAG: ld.shared.v4.b32
// CHECK-DAG: ld.global.v4.b32
// CHECK-DAG: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK-NOT: .entry
func.func @main(%x: tensor<256x128xbf16>, %w: tensor<128x384xbf16>, %bias: tensor<384xbf16>, %more: tensor<256x384xbf16>) -> tensor<256x384xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x128xbf16>, tensor<128x384xbf16>) -> tensor<256x384xbf16>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<384xbf16>) -> tensor<256x384xbf16>
  %2 = stablehlo.add %0, %1 : tensor<256x384xbf16>
  %3 = stablehlo.tanh %2 : tensor<256x384xbf16>
  %4 = stablehlo.add %3, %more : tensor<256x384xbf16>
  return %4 : tensor<256x384xbf16>
}

// -----

// CHECK: .target
// CHECK: mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
func.func @main(%x: tensor<64x64xui8>, %w: tensor<64x64xui8>) -> tensor<64x64xui32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x64xui8>, tensor<64x64xui8>) -> tensor<64x64xui32>
  return %0 : tensor<64x64xui32>
}

// -----

// Sizes that are no multiples of 16 bytes: element by element, and what is outside is 0.
// CHECK: .target
// CHECK-NOT: cp.async.cg
// CHECK: ld.global{{.*}}b16
// CHECK: selp
// CHECK: st.shared.v4.b32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func @main(%x: tensor<33x35xf16>, %w: tensor<35x37xf16>) -> tensor<33x37xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<33x35xf16>, tensor<35x37xf16>) -> tensor<33x37xf32>
  return %0 : tensor<33x37xf32>
}

// -----

// f32 is exact: no tensor cores; 16 bytes at once from shared memory, one rounding for a product and its sum.
// CHECK: .target
// CHECK-NOT: mma
// CHECK: cp.async.cg.shared.global
// CHECK: ld.shared.v4.b32
// CHECK: fma.rn.f32
// CHECK: st.shared.v4.b32
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// CHECK-NOT: mma
func.func @main(%x: tensor<512x128xf32>, %w: tensor<128x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x128xf32>, tensor<128x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
