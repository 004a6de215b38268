// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s

// Rows of 3 bytes, too few side by side to fill a vector along them: they are copied one by one, into a fill.

// CHECK: func.func private @{{.*}}insert_0{{.*}}loops = [238140]
// CHECK-SAME: loops = [96, 7, 52, 3]
// CHECK-SAME: vectorize = "d3"
func.func @main(%x: tensor<96x7x52x3xi8>) -> tensor<98x9x54x5xi8> {
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %r = stablehlo.pad %x, %zero, low = [1, 1, 1, 1], high = [1, 1, 1, 1], interior = [0, 0, 0, 0] : (tensor<96x7x52x3xi8>, tensor<i8>) -> tensor<98x9x54x5xi8>
  return %r : tensor<98x9x54x5xi8>
}

// -----

// With all rows side by side vectors along the rows are full: they are interleaved.

// CHECK: func.func private @{{.*}}insert_0{{.*}}interleave = 5 : i64, loops = [34944, 5]
// CHECK-SAME: vectorize = "d0"
func.func @main(%x: tensor<96x7x52x3xi8>) -> tensor<96x7x52x5xi8> {
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %r = stablehlo.pad %x, %zero, low = [0, 0, 0, 1], high = [0, 0, 0, 1], interior = [0, 0, 0, 0] : (tensor<96x7x52x3xi8>, tensor<i8>) -> tensor<96x7x52x5xi8>
  return %r : tensor<96x7x52x5xi8>
}

// -----

// No instruction gathers elements of two bytes: lanes run along the rows of 3, not across them.

// CHECK: func.func private @copy_0{{.*}}loops = [160, 52, 16, 3]
// CHECK-SAME: vectorize = "d3"
func.func @main(%x: tensor<160x16x52x3xbf16>) -> tensor<160x52x16x3xbf16> {
  %r = stablehlo.transpose %x, dims = [0, 2, 1, 3] : (tensor<160x16x52x3xbf16>) -> tensor<160x52x16x3xbf16>
  return %r : tensor<160x52x16x3xbf16>
}

// -----

// Every second row of 8 bytes: bytes are shuffled by instructions that load their indices, eight times for each vector.

// CHECK: func.func private @slice_0{{.*}}loops = [24960, 8]
// CHECK-SAME: vectorize = "d1"
func.func @main(%x: tensor<60x16x52x8xi8>) -> tensor<60x16x26x8xi8> {
  %r = stablehlo.slice %x [0:60, 0:16, 0:52:2, 0:8] : (tensor<60x16x52x8xi8>) -> tensor<60x16x26x8xi8>
  return %r : tensor<60x16x26x8xi8>
}

// -----

// A sum of 8 rows whose result is transposed: vectors are scattered, one for every 8 that are read.

// CHECK: func.func private @add_reduce_0{{.*}}loops = [4096, 256, 8]
// CHECK-SAME: vectorize = "d0"
func.func @main(%x: tensor<256x8x4096xi8>) -> tensor<4096x256xi8> {
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<256x8x4096xi8>) -> tensor<4096x256x8xi8>
  %r = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4096x256x8xi8>, tensor<i8>) -> tensor<4096x256xi8>
  return %r : tensor<4096x256xi8>
}
