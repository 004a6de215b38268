// RUN: env HLO_CPU=avx512 hlo-opt %s --compile-to=kernels | FileCheck %s
// RUN: env HLO_CPU=avx2 hlo-opt %s --compile-to=kernels | FileCheck %s

// Vectors along 5 columns would be mostly empty: B's columns are packed, and vectors go along k.
// CHECK-LABEL: func.func private @mul_add_reduce_0
// CHECK-SAME: pack_b = "columns"
// CHECK-SAME: unroll_n = {{5|3}} : i64, vector = {{16|8}} : i64, vectorize = "k"
// CHECK-LABEL: func.func private @mul_add_reduce_1
// CHECK-SAME: pack_b = "none"
// CHECK-SAME: vectorize = "n"
func.func @main(%x: tensor<4x20x20x40xf32>, %w: tensor<3x3x40x5xf32>, %a: tensor<300x9xf32>, %b: tensor<9x5xf32>) -> (tensor<4x18x18x5xf32>, tensor<300x5xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x20x20x40xf32>, tensor<3x3x40x5xf32>) -> tensor<4x18x18x5xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<300x9xf32>, tensor<9x5xf32>) -> tensor<300x5xf32>
  return %0, %1 : tensor<4x18x18x5xf32>, tensor<300x5xf32>
}
