// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: @of_joined
// CHECK: %[[E:.*]] = stablehlo.exponential
// CHECK: %[[T:.*]] = stablehlo.transpose %[[E]], dims = [3, 1, 2, 0] : (tensor<2x3x4x5xf32>) -> tensor<5x3x4x2xf32>
// CHECK: stablehlo.reshape %[[T]] : (tensor<5x3x4x2xf32>) -> tensor<5x12x2xf32>
func.func @of_joined(%x: tensor<2x3x4x5xf32>) -> tensor<5x12x2xf32> {
  %e = stablehlo.exponential %x : tensor<2x3x4x5xf32>
  %0 = stablehlo.reshape %e : (tensor<2x3x4x5xf32>) -> tensor<2x12x5xf32>
  %1 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<2x12x5xf32>) -> tensor<5x12x2xf32>
  return %1 : tensor<5x12x2xf32>
}

// Contractions read an operand transposed, and nothing computes an argument.
// CHECK-LABEL: @of_joined_left
// CHECK: stablehlo.reshape
// CHECK-NEXT: stablehlo.transpose
// CHECK: stablehlo.reshape %arg0
// CHECK-NEXT: stablehlo.transpose
func.func @of_joined_left(%x: tensor<2x3x4x5xf32>, %w: tensor<6x12x7xf32>) -> (tensor<6x5x7xf32>, tensor<12x5x2xf32>) {
  %e = stablehlo.broadcast_in_dim %x, dims = [0, 2, 3, 4] : (tensor<2x3x4x5xf32>) -> tensor<2x3x3x4x5xf32>
  %0 = stablehlo.reshape %e : (tensor<2x3x3x4x5xf32>) -> tensor<6x12x5xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<6x12x5xf32>) -> tensor<6x5x12xf32>
  %2 = stablehlo.dot_general %1, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x5x12xf32>, tensor<6x12x7xf32>) -> tensor<6x5x7xf32>
  %3 = stablehlo.reshape %x : (tensor<2x3x4x5xf32>) -> tensor<2x12x5xf32>
  %4 = stablehlo.transpose %3, dims = [1, 2, 0] : (tensor<2x12x5xf32>) -> tensor<12x5x2xf32>
  return %2, %4 : tensor<6x5x7xf32>, tensor<12x5x2xf32>
}

// What a reshape splits stays behind it, and so does what it only regroups.
// CHECK-LABEL: @of_split
// CHECK: stablehlo.reshape
// CHECK-NEXT: stablehlo.transpose
// CHECK: stablehlo.reshape
// CHECK-NEXT: stablehlo.transpose
func.func @of_split(%x: tensor<12x5xf32>, %y: tensor<4x6x5x1xf32>) -> (tensor<5x4x3xf32>, tensor<5x8x3xf32>) {
  %0 = stablehlo.reshape %x : (tensor<12x5xf32>) -> tensor<4x3x5xf32>
  %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x3x5xf32>) -> tensor<5x4x3xf32>
  %2 = stablehlo.reshape %y : (tensor<4x6x5x1xf32>) -> tensor<3x8x5xf32>
  %3 = stablehlo.transpose %2, dims = [2, 1, 0] : (tensor<3x8x5xf32>) -> tensor<5x8x3xf32>
  return %1, %3 : tensor<5x4x3xf32>, tensor<5x8x3xf32>
}

// CHECK-LABEL: @of_reduction
// CHECK: %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 2, 0, 3] : (tensor<3x4x5x6xf32>) -> tensor<4x5x3x6xf32>
// CHECK: stablehlo.reduce(%[[T]] init: %arg1) applies stablehlo.add across dimensions = [0, 3] : (tensor<4x5x3x6xf32>, tensor<f32>) -> tensor<5x3xf32>
func.func @of_reduction(%x: tensor<3x4x5x6xf32>, %z: tensor<f32>) -> tensor<5x3xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1, 3] : (tensor<3x4x5x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// Two dimensions would be reduced in another order; another op reads the sums; a contraction is best in its own order.
// CHECK-LABEL: @others
// CHECK: stablehlo.reduce(%arg0
// CHECK-NEXT: stablehlo.transpose
// CHECK: stablehlo.reduce(%arg1
// CHECK-NEXT: stablehlo.transpose
// CHECK: %[[D:.*]] = stablehlo.dot_general
// CHECK-NEXT: stablehlo.reduce(%[[D]]
// CHECK-NEXT: stablehlo.transpose
func.func @others(%x: tensor<3x4x5x6xf32>, %y: tensor<3x4x5xf32>, %z: tensor<f32>)
    -> (tensor<6x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<5x4xf32>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 2] : (tensor<3x4x5x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [2] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x4xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x5x5xf32>
  %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  %7 = stablehlo.slice %6 [0:5, 0:1] : (tensor<5x3xf32>) -> tensor<5x1xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x4xf32>
  return %1, %3, %2, %8 : tensor<6x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<5x4xf32>
}
