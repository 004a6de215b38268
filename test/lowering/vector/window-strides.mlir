// RUN: env HLO_CPU=avx512 hlo-opt %s --compile-to=memory | FileCheck %s

// A tile of a depthwise convolution is summed up over a window of few elements: its code knows all strides, and computes no
// pointers from them. Tiles of other convolutions share code that is told them.
// CHECK-LABEL: func.func private @mul_add_reduce_0.code.nest
// CHECK: hlo_routine_tile_{{.*}}_a_row_32_a_depth_32_b_depth_32_outer_3.704.96_a_is_vector_1
// CHECK-LABEL: func.func private @mul_add_reduce_1.code.nest
// CHECK-NOT: _a_row_
// CHECK: return
func.func @main(%x: tensor<4x22x22x32xf32>, %w: tensor<3x3x1x32xf32>, %v: tensor<3x3x32x64xf32>) -> (tensor<4x20x20x32xf32>, tensor<4x20x20x64xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 32 : i64} : (tensor<4x22x22x32xf32>, tensor<3x3x1x32xf32>) -> tensor<4x20x20x32xf32>
  %1 = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x22x22x32xf32>, tensor<3x3x32x64xf32>) -> tensor<4x20x20x64xf32>
  return %0, %1 : tensor<4x20x20x32xf32>, tensor<4x20x20x64xf32>
}
