// RUN: hlo-opt %s --schedule-kernels='target=avx512' | FileCheck %s

// Elements at computed rows: along the columns they are contiguous, along the rows each lane's would be somewhere else.
// CHECK-LABEL: func.func private @rows
// CHECK-SAME: loops = [9000, 8]
// CHECK-SAME: vectorize = "d1"
func.func private @rows(%table: tensor<5000x8xf32>, %where: tensor<9000xi32>) -> tensor<9000x8xf32> attributes {hlo.kernel = "region"} {
  %empty = tensor.empty() : tensor<9000x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%where : tensor<9000xi32>) outs(%empty : tensor<9000x8xf32>) {
  ^bb0(%n: i32, %o: f32):
    %row = arith.index_cast %n : i32 to index
    %column = linalg.index 1 : index
    %x = tensor.extract %table[%row, %column] : tensor<5000x8xf32>
    linalg.yield %x : f32
  } -> tensor<9000x8xf32>
  return %r : tensor<9000x8xf32>
}

// At computed columns nothing is contiguous but what is written, and the columns' numbers.
// CHECK-LABEL: func.func private @columns
// CHECK-SAME: loops = [64, 900]
// CHECK-SAME: vectorize = "d1"
func.func private @columns(%table: tensor<64x50xf32>, %where: tensor<900xi32>) -> tensor<64x900xf32> attributes {hlo.kernel = "region"} {
  %empty = tensor.empty() : tensor<64x900xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%where : tensor<900xi32>) outs(%empty : tensor<64x900xf32>) {
  ^bb0(%n: i32, %o: f32):
    %row = linalg.index 0 : index
    %column = arith.index_cast %n : i32 to index
    %x = tensor.extract %table[%row, %column] : tensor<64x50xf32>
    linalg.yield %x : f32
  } -> tensor<64x900xf32>
  return %r : tensor<64x900xf32>
}
func.func public @main(%table: tensor<5000x8xf32>, %where: tensor<9000xi32>) -> tensor<9000x8xf32> {
  %r = call @rows(%table, %where) : (tensor<5000x8xf32>, tensor<9000xi32>) -> tensor<9000x8xf32>
  return %r : tensor<9000x8xf32>
}
