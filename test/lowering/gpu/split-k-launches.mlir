// Two kernels: parts of k by wgmma, a tensor map for each input with the parts as a dimension; then their sum with bias and activation.
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90a --compile-to=memory | FileCheck %s

// CHECK: call @[[PARTS:.*]].code(%arg0, %arg1, %[[P:.*]]) :
// CHECK-NEXT: call @[[PARTS]]_rest.code(%[[P]], %arg2, %arg3) :
// CHECK: hlo.decision = "contraction 8 x 512 x 512 x 1024 of bf16 and f32: tiles of 128 x 128 by wgmma
// CHECK: math.tanh
// CHECK: gpu.launch_func {{.*}} blocks in (%c128, %c1, %c1)
// CHECK-SAME: sizes = array<i64: 1024, 8, 512>, strides = array<i64: 2048, 16384>
// CHECK-NEXT: return
// CHECK: gpu.launch_func @gpu::@[[PARTS]]_rest_0
// CHECK-NEXT: return
func.func @main(%a: tensor<512x8192xbf16>, %b: tensor<8192x512xbf16>, %bias: tensor<512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x8192xbf16>, tensor<8192x512xbf16>) -> tensor<512x512xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
  %2 = stablehlo.add %0, %1 : tensor<512x512xf32>
  %3 = stablehlo.tanh %2 : tensor<512x512xf32>
  return %3 : tensor<512x512xf32>
}
