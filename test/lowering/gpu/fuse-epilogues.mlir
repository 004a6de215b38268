// What only reads the result of a contraction, element by element, goes into its kernel; a sum of its rows does not.
// RUN: hlo-opt %s --split-input-file --target=gpu --compile-to=kernels | hlo-opt --split-input-file --fuse-epilogues | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<64x32xf32>, %[[W:.*]]: tensor<32x64xf32>, %[[B:.*]]: tensor<64xf32>)
// CHECK: %[[P:.*]] = call @mul_add_reduce_0_add_tanh_0(%[[X]], %[[W]], %[[B]])
// CHECK: %[[Q:.*]] = call @mul_add_reduce_1_add_tanh_0(%[[P]], %[[B]])
// CHECK: %[[D:.*]] = call @mul_add_reduce_{{.*}}(%[[P]], %[[Q]])
// CHECK: call @{{.*}}reduce{{.*}}(%[[D]])
// CHECK: return

// CHECK-NOT: @add_tanh_0(
// CHECK: func.func private @mul_add_reduce_0_add_tanh_0(%{{.*}}: tensor<64x32xf32>, %{{.*}}: tensor<32x64xf32>, %{{.*}}: tensor<64xf32>) -> tensor<64x64xf32> attributes {hlo.kernel = "contraction"}
// CHECK: linalg.fill
// CHECK: arith.mulf
// CHECK: math.tanh
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x64xf32>
  %3 = stablehlo.tanh %2 : tensor<64x64xf32>
  %4 = stablehlo.dot_general %3, %3, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = stablehlo.add %4, %1 : tensor<64x64xf32>
  %6 = stablehlo.tanh %5 : tensor<64x64xf32>
  %7 = stablehlo.dot_general %3, %6, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %8 : tensor<64xf32>
}

// -----

// Reshapes within the region are taken along: the contraction's dimensions are split when its kernel is written. Pieces of the columns of
// less than 16 bytes are not.
// CHECK-LABEL: func.func @reshaped(
// CHECK: call @ext_mul_add_reduce_0_trunc_ext_add_tanh_0(
// CHECK-NEXT: return
func.func @reshaped(%x: tensor<4x32x64xbf16>, %w: tensor<64x128xbf16>, %b: tensor<8x16xbf16>) -> tensor<4x32x8x16xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x32x64xbf16>, tensor<64x128xbf16>) -> tensor<4x32x128xbf16>
  %1 = stablehlo.reshape %0 : (tensor<4x32x128xbf16>) -> tensor<4x32x8x16xbf16>
  %2 = stablehlo.broadcast_in_dim %b, dims = [2, 3] : (tensor<8x16xbf16>) -> tensor<4x32x8x16xbf16>
  %3 = stablehlo.add %1, %2 : tensor<4x32x8x16xbf16>
  %4 = stablehlo.tanh %3 : tensor<4x32x8x16xbf16>
  return %4 : tensor<4x32x8x16xbf16>
}

// -----

// CHECK-LABEL: func.func @short(
// CHECK: call @ext_mul_add_reduce_0(
// CHECK: call @trunc_ext_add_tanh_0(
func.func @short(%x: tensor<4x32x64xbf16>, %w: tensor<64x128xbf16>, %b: tensor<32x4xbf16>) -> tensor<4x32x32x4xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<4x32x64xbf16>, tensor<64x128xbf16>) -> tensor<4x32x128xbf16>
  %1 = stablehlo.reshape %0 : (tensor<4x32x128xbf16>) -> tensor<4x32x32x4xbf16>
  %2 = stablehlo.broadcast_in_dim %b, dims = [2, 3] : (tensor<32x4xbf16>) -> tensor<4x32x32x4xbf16>
  %3 = stablehlo.add %1, %2 : tensor<4x32x32x4xbf16>
  %4 = stablehlo.tanh %3 : tensor<4x32x32x4xbf16>
  return %4 : tensor<4x32x32x4xbf16>
}
