// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// Loops: batch, output spatial, output feature, kernel spatial, input feature.
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3 * 3, d4)>
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>

// Padding: the input is put into zeros.
// CHECK-LABEL: func.func @main
// CHECK: %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<1x20x2xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[ZEROS]][0, 1, 0] [1, 17, 2] [1, 1, 1]
// CHECK: linalg.generic
func.func @main(%a: tensor<1x17x2xf32>, %b: tensor<3x2x5xf32>) -> tensor<1x7x5xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {stride = [2], pad = [[1, 2]], rhs_dilate = [3]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x17x2xf32>, tensor<3x2x5xf32>) -> tensor<1x7x5xf32>
  return %0 : tensor<1x7x5xf32>
}

// A dilated input: windows 0, 2, ... meet its elements with elements 0 and 2 of the kernel, the others with element 1.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[RESULT:.+]] = tensor.empty() : tensor<1x10x5xf32>
// CHECK-DAG: %[[PADDED:.+]] = tensor.insert_slice %arg0 into %{{.*}}[0, 1, 0] [1, 5, 2] [1, 1, 1] : tensor<1x5x2xf32> into tensor<1x6x2xf32>
// CHECK: %[[OUTER:.+]] = tensor.extract_slice %arg1[0, 0, 0] [2, 2, 5] [2, 1, 1]
// CHECK: %[[EVEN:.+]] = linalg.generic {{.*}} ins(%[[PADDED]], %[[OUTER]]
// CHECK: %[[PART:.+]] = tensor.insert_slice %[[EVEN]] into %[[RESULT]][0, 0, 0] [1, 5, 5] [1, 2, 1]
// CHECK: %[[MIDDLE:.+]] = tensor.extract_slice %arg1[1, 0, 0] [1, 2, 5] [2, 1, 1]
// CHECK: %[[ODD:.+]] = linalg.generic {{.*}} ins(%[[PADDED]], %[[MIDDLE]]
// CHECK: tensor.insert_slice %[[ODD]] into %[[PART]][0, 1, 0] [1, 5, 5] [1, 2, 1]
func.func @transposed(%a: tensor<1x5x2xf32>, %b: tensor<3x2x5xf32>) -> tensor<1x10x5xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {pad = [[2, 1]], lhs_dilate = [2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x5x2xf32>, tensor<3x2x5xf32>) -> tensor<1x10x5xf32>
  return %0 : tensor<1x10x5xf32>
}

// Groups are a dimension of their own; without padding there is no copy.
// CHECK-LABEL: func.func @groups
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] {{.*}} into tensor<1x9x2x3xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] {{.*}} into tensor<3x3x2x2xf32>
// CHECK: linalg.generic
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] : tensor<1x7x2x2xf32> into tensor<1x7x4xf32>
func.func @groups(%a: tensor<1x9x6xf32>, %b: tensor<3x3x4xf32>) -> tensor<1x7x4xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<1x9x6xf32>, tensor<3x3x4xf32>) -> tensor<1x7x4xf32>
  return %0 : tensor<1x7x4xf32>
}

// Without input features there is nothing to sum.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: linalg.generic
// CHECK: linalg.fill {{.*}} -> tensor<1x7x4xf32>
func.func @nothing(%a: tensor<1x9x0xf32>, %b: tensor<3x0x4xf32>) -> tensor<1x7x4xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x9x0xf32>, tensor<3x0x4xf32>) -> tensor<1x7x4xf32>
  return %0 : tensor<1x7x4xf32>
}

// Only the inner 3 of 5 elements meet the input in some window: the others are left out, with the padding that is theirs alone.
// CHECK-LABEL: func.func @larger_kernel
// CHECK: tensor.extract_slice %{{.*}}[1, 0, 0] [3, 2, 4] [1, 1, 1] : tensor<5x2x4xf32> to tensor<3x2x4xf32>
// CHECK: linalg.fill {{.*}} -> tensor<1x4x2xf32>
func.func @larger_kernel(%a: tensor<1x2x2xf32>, %b: tensor<5x2x4xf32>) -> tensor<1x2x4xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x2x2xf32>, tensor<5x2x4xf32>) -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}
