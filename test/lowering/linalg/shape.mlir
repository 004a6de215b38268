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

// Blocks of a matrix are written where they lie in it, without the rows of blocks between. Narrow ones, and rows that something else reads, are concatenated first.

// CHECK-LABEL: func.func @blocks
// CHECK: %[[A:.+]] = tensor.insert_slice %arg0 into %{{.+}}[0, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<5x48xf32>
// CHECK: %[[B:.+]] = tensor.insert_slice %arg1 into %[[A]][0, 16] [2, 32] [1, 1]
// CHECK: %[[C:.+]] = tensor.insert_slice %arg2 into %[[B]][2, 0] [3, 32] [1, 1]
// CHECK: %[[D:.+]] = tensor.insert_slice %arg3 into %[[C]][2, 32] [3, 16] [1, 1]
// CHECK: return %[[D]]
func.func @blocks(%a: tensor<2x16xf32>, %b: tensor<2x32xf32>, %c: tensor<3x32xf32>, %d: tensor<3x16xf32>) -> tensor<5x48xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x16xf32>, tensor<2x32xf32>) -> tensor<2x48xf32>
  %1 = stablehlo.concatenate %c, %d, dim = 1 : (tensor<3x32xf32>, tensor<3x16xf32>) -> tensor<3x48xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2x48xf32>, tensor<3x48xf32>) -> tensor<5x48xf32>
  return %2 : tensor<5x48xf32>
}

// CHECK-LABEL: func.func @narrow
// CHECK: %[[E:.+]] = tensor.insert_slice %arg1 into %{{.+}}[0, 16] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x20xf32>
// CHECK: tensor.insert_slice %[[E]] into %{{.+}}[0, 0] [2, 20] [1, 1] : tensor<2x20xf32> into tensor<5x20xf32>
func.func @narrow(%a: tensor<2x16xf32>, %b: tensor<2x4xf32>, %c: tensor<3x20xf32>) -> tensor<5x20xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x16xf32>, tensor<2x4xf32>) -> tensor<2x20xf32>
  %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<2x20xf32>, tensor<3x20xf32>) -> tensor<5x20xf32>
  return %1 : tensor<5x20xf32>
}

// CHECK-LABEL: func.func @read_twice
// CHECK: %[[F:.+]] = tensor.insert_slice %arg1 into %{{.+}} : tensor<2x16xf32> into tensor<2x32xf32>
// CHECK: tensor.insert_slice %[[F]] into
// CHECK: tensor.insert_slice %[[F]] into
func.func @read_twice(%a: tensor<2x16xf32>, %b: tensor<2x16xf32>) -> tensor<4x32xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x32xf32>
  %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<4x32xf32>
  return %1 : tensor<4x32xf32>
}
