// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// Movement of elements is an affine map; a slice a box; a reshape collapses and expands.

// CHECK-DAG: #[[TRANSPOSE:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[REVERSE:.+]] = affine_map<(d0, d1) -> (-d0 + 3, d1)>

// CHECK-LABEL: func.func @main
// CHECK: linalg.generic {indexing_maps = [#[[TRANSPOSE]],
// CHECK: linalg.generic {indexing_maps = [#[[REVERSE]],
// CHECK: tensor.extract_slice %{{.+}}[1, 0] [2, 6] [2, 1]
// CHECK: tensor.collapse_shape %{{.+}} : tensor<2x6xf32> into tensor<12xf32>
// CHECK: tensor.expand_shape %{{.+}} output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
func.func @main(%x: tensor<6x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<4x6xf32>
  %2 = stablehlo.slice %1 [1:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x6xf32>) -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}
