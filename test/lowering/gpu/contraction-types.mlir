// f8 by wgmma on sm_90a, in f16 elsewhere; bytes and tf32 by both; f64 by threads; what wgmma reads along k is turned by a launch in front.
// RUN: hlo-opt %s --split-input-file --target=gpu --gpu-arch=sm_90a --compile-to=ptx | FileCheck %s --check-prefix=HOPPER
// RUN: hlo-opt %s --split-input-file --target=gpu --gpu-arch=sm_80 --compile-to=ptx | FileCheck %s

// HOPPER: add.rn.f32
// HOPPER: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e5m2
// HOPPER: wgmma.wait_group.sync.aligned 0
// HOPPER: cp.async.bulk.tensor.2d
// CHECK: .target sm_80
// CHECK: cvt.rn.f16x2.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func @main(%x: tensor<2048x2048xf8E4M3FN>, %w: tensor<2048x2048xf8E5M2>) -> tensor<2048x2048xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2048x2048xf8E4M3FN>, tensor<2048x2048xf8E5M2>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// -----

// HOPPER: wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.s8
// CHECK: .target sm_80
// CHECK: cp.async.cg.shared.global
// CHECK: mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
func.func @main(%x: tensor<2048x1024xui8>, %w: tensor<1024x2048xi8>) -> tensor<2048x2048xi32> {
  %0 = stablehlo.convert %x : (tensor<2048x1024xui8>) -> tensor<2048x1024xi32>
  %1 = stablehlo.convert %w : (tensor<1024x2048xi8>) -> tensor<1024x2048xi32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2048x1024xi32>, tensor<1024x2048xi32>) -> tensor<2048x2048xi32>
  return %2 : tensor<2048x2048xi32>
}

// -----

// HOPPER: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32
// CHECK: .target sm_80
// CHECK: cp.async.cg.shared.global
// CHECK: cvt.rna.tf32.f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @main(%x: tensor<2048x1024xf32>, %w: tensor<1024x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2048x1024xf32>, tensor<1024x2048xf32>) -> tensor<2048x2048xf32>
  return %0 : tensor<2048x2048xf32>
}

// -----

// HOPPER: fma.rn.f64
// CHECK: .target sm_80
// CHECK: cp.async.cg.shared.global
// CHECK: ld.shared.v2.b64
// CHECK: fma.rn.f64
// CHECK: st.global.b64
func.func @main(%x: tensor<1024x1024xf64>, %w: tensor<1024x1024xf64>) -> tensor<1024x1024xf64> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xf64>, tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
  return %0 : tensor<1024x1024xf64>
}
