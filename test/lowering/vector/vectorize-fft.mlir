// RUN: hlo-opt %s --pass-pipeline='builtin.module(stablehlo-to-linalg,schedule-kernels{target=avx512},vectorize-fft{target=avx512})' | FileCheck %s

// One array of tables and one code for two equal transforms. 4096 = 64 x 64, in stages of radix 8.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[TABLE:.*]] = arith.constant dense<"{{.*}}"> : tensor<[[SIZE:[0-9]+]]xf32>
// CHECK-NEXT: call @fft_0(%{{.*}}, %[[TABLE]])
// CHECK-NEXT: arith.constant dense<"{{.*}}"> : tensor<[[SIZE]]xf32>
// CHECK-NEXT: call @fft_0(
// CHECK-NEXT: return
// CHECK: func.func private @fft_0.code.part_0
// CHECK: scf.for {{.*}} {
// CHECK: vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK: vector.fma {{.*}} : vector<16xf32>
// CHECK: func.func private @fft_0.code(%{{.*}}: memref<2x4096xcomplex<f32>>, %{{.*}}: memref<[[SIZE]]xf32>, %{{.*}}: memref<2x4096xcomplex<f32>>)
// CHECK: func.func private @fft_0(tensor<2x4096xcomplex<f32>>, tensor<[[SIZE]]xf32>) -> tensor<2x4096xcomplex<f32>> attributes {hlo.code = @fft_0.code, hlo.kernel = "fft"}
// CHECK-NOT: hlo.fft
// CHECK-NOT: func.func
func.func @main(%x: tensor<2x4096xcomplex<f32>>) -> tensor<2x4096xcomplex<f32>> {
  %r = stablehlo.fft %x, type = FFT, length = [4096] : (tensor<2x4096xcomplex<f32>>) -> tensor<2x4096xcomplex<f32>>
  %s = stablehlo.fft %r, type = FFT, length = [4096] : (tensor<2x4096xcomplex<f32>>) -> tensor<2x4096xcomplex<f32>>
  return %s : tensor<2x4096xcomplex<f32>>
}
