// RUN: hlo-opt %s --compile-to=linalg | hlo-opt --compute-gathered | FileCheck %s

// A table is converted where rows of it are looked up.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor<5000x512xbf16>
// CHECK: %[[X:.*]] = tensor.extract %arg0[%{{.*}}, %{{.*}}] : tensor<5000x512xf32>
// CHECK-NEXT: arith.truncf %[[X]]
// CHECK: return
func.func @main(%x: tensor<5000x512xf32>, %i: tensor<16x1xi32>) -> tensor<16x512xbf16> {
  %0 = stablehlo.convert %x : (tensor<5000x512xf32>) -> tensor<5000x512xbf16>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 512>}> : (tensor<5000x512xbf16>, tensor<16x1xi32>) -> tensor<16x512xbf16>
  return %1 : tensor<16x512xbf16>
}

// More exponentials are read than there are: they are computed once, in memory.
// CHECK-LABEL: func.func @more
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<50x64xf32>)
// CHECK: tensor.extract %[[E]]
func.func @more(%x: tensor<50x64xf32>, %i: tensor<160x1xi32>) -> tensor<160x64xf32> {
  %0 = stablehlo.exponential %x : tensor<50x64xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<50x64xf32>, tensor<160x1xi32>) -> tensor<160x64xf32>
  return %1 : tensor<160x64xf32>
}

// All of them are returned as well: they are in memory anyway.
// CHECK-LABEL: func.func @also_returned
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<500x64xf32>)
// CHECK: tensor.extract %[[E]]
func.func @also_returned(%x: tensor<500x64xf32>, %i: tensor<16x1xi32>) -> (tensor<500x64xf32>, tensor<16x64xf32>) {
  %0 = stablehlo.exponential %x : tensor<500x64xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<500x64xf32>, tensor<16x1xi32>) -> tensor<16x64xf32>
  return %0, %1 : tensor<500x64xf32>, tensor<16x64xf32>
}

// A transposed identity reads nothing: its columns are computed where they are permuted.
// CHECK-LABEL: func.func @permutation
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @permutation(%p: tensor<64x1xi32>) -> tensor<64x64xf32> {
  %rows = stablehlo.iota dim = 0 : tensor<64x64xi32>
  %columns = stablehlo.iota dim = 1 : tensor<64x64xi32>
  %equal = stablehlo.compare EQ, %rows, %columns, SIGNED : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %eye = stablehlo.convert %equal : (tensor<64x64xi1>) -> tensor<64x64xf32>
  %transposed = stablehlo.transpose %eye, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = "stablehlo.gather"(%transposed, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 64, 1>}> : (tensor<64x64xf32>, tensor<64x1xi32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
