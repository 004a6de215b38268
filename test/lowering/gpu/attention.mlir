// Attention in one kernel: scores, a mask of positions, the softmax and the second product in registers; each step's keys and
// values come by cp.async while the ones before are multiplied; an exponential is one instruction.
// RUN: hlo-opt %s --target=gpu --compile-to=ptx | FileCheck %s
// RUN: hlo-opt %s --target=gpu --compile-to=memory | FileCheck %s --check-prefix=LAUNCH
// RUN: hlo-opt %s --target=gpu --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: @attention_0_0: attention of 8 x 2048 queries and 2048 keys of 64, values of 64; 128 queries a block, 64 keys that it sees a step, by mma.sync; 128 blocks of 256 threads, 48 KiB of shared memory each

// LAUNCH: func.func public @main
// LAUNCH-NOT: 33554432
// LAUNCH: gpu.launch_func {{.*}} blocks in (%c128, %c1, %c1) threads in (%c256, %c1, %c1) dynamic_shared_memory_size %c49152_i32
// LAUNCH-NOT: gpu.launch_func

// CHECK-COUNT-1: .entry
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, 16
// CHECK: cp.async.wait_group{{.*}}0
// CHECK: bar.sync
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: max.NaN.f32
// CHECK: shfl.sync.bfly.b32
// CHECK-COUNT-34: ex2.approx.ftz.f32
// CHECK: cvt.rn.bf16x2.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: st.global.b32
// CHECK-NOT: .entry
func.func @main(%q: tensor<8x2048x64xbf16>, %k: tensor<8x2048x64xbf16>, %v: tensor<8x2048x64xbf16>, %bias: tensor<8x2048xf32>) -> tensor<2048x8x64xbf16> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %far = stablehlo.constant dense<-1.0e+30> : tensor<8x2048x2048xf32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x2048x64xbf16>, tensor<8x2048x64xbf16>) -> tensor<8x2048x2048xf32>
  %b = stablehlo.broadcast_in_dim %bias, dims = [0, 2] : (tensor<8x2048xf32>) -> tensor<8x2048x2048xf32>
  %1 = stablehlo.add %0, %b : tensor<8x2048x2048xf32>
  %i = stablehlo.iota dim = 0 : tensor<2048x2048xi32>
  %j = stablehlo.iota dim = 1 : tensor<2048x2048xi32>
  %c = stablehlo.compare GE, %i, %j : (tensor<2048x2048xi32>, tensor<2048x2048xi32>) -> tensor<2048x2048xi1>
  %mask = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<2048x2048xi1>) -> tensor<8x2048x2048xi1>
  %2 = stablehlo.select %mask, %1, %far : tensor<8x2048x2048xi1>, tensor<8x2048x2048xf32>
  %3 = stablehlo.reduce(%2 init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<8x2048x2048xf32>, tensor<f32>) -> tensor<8x2048xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<8x2048xf32>) -> tensor<8x2048x2048xf32>
  %5 = stablehlo.subtract %2, %4 : tensor<8x2048x2048xf32>
  %6 = stablehlo.exponential %5 : tensor<8x2048x2048xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x2048x2048xf32>, tensor<f32>) -> tensor<8x2048xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x2048xf32>) -> tensor<8x2048x2048xf32>
  %9 = stablehlo.divide %6, %8 : tensor<8x2048x2048xf32>
  %10 = stablehlo.convert %9 : (tensor<8x2048x2048xf32>) -> tensor<8x2048x2048xbf16>
  %11 = stablehlo.dot_general %10, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x2048x2048xbf16>, tensor<8x2048x64xbf16>) -> tensor<8x2048x64xf32>
  %12 = stablehlo.transpose %11, dims = [1, 0, 2] : (tensor<8x2048x64xf32>) -> tensor<2048x8x64xf32>
  %13 = stablehlo.convert %12 : (tensor<2048x8x64xf32>) -> tensor<2048x8x64xbf16>
  return %13 : tensor<2048x8x64xbf16>
}
