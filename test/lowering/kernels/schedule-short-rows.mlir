// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s

// Lanes run along the rows of a softmax of 19 elements, four elements of each a step.

// CHECK: func.func private @max_reduce{{.*}}loops = [300, 19]
// CHECK-SAME: unroll = 4 : i64, unroll_loop = "d1", vector = 16 : i64, vectorize = "d0"
func.func @main(%x: tensor<300x19xf32>) -> tensor<300x19xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<300x19xf32>, tensor<f32>) -> tensor<300xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<300xf32>) -> tensor<300x19xf32>
  %d = stablehlo.subtract %x, %mb : tensor<300x19xf32>
  %e = stablehlo.exponential %d : tensor<300x19xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x19xf32>, tensor<f32>) -> tensor<300xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<300xf32>) -> tensor<300x19xf32>
  %r = stablehlo.divide %e, %sb : tensor<300x19xf32>
  return %r : tensor<300x19xf32>
}

// -----

// Along longer rows, where little is computed, merging the lanes of a sum costs less than transposing.

// CHECK: func.func private @{{.*}}loops = [300, 96]
// CHECK-SAME: unroll_loop = "d1", vector = 16 : i64, vectorize = "d1"
func.func @main(%x: tensor<300x96xf32>) -> tensor<300x96xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.multiply %x, %x : tensor<300x96xf32>
  %s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x96xf32>, tensor<f32>) -> tensor<300xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<300xf32>) -> tensor<300x96xf32>
  %r = stablehlo.divide %x, %sb : tensor<300x96xf32>
  return %r : tensor<300x96xf32>
}

// -----

// A maximum of rows of 40 elements: their lanes are merged by many instructions, so that lanes run along the rows, in squares of 16 elements.

// CHECK: func.func private @max_reduce{{.*}}loops = [300, 40]
// CHECK-SAME: unroll = 16 : i64, unroll_loop = "d1", vector = 16 : i64, vectorize = "d0"
func.func @main(%x: tensor<300x40xf32>) -> tensor<300xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<300x40xf32>, tensor<f32>) -> tensor<300xf32>
  return %m : tensor<300xf32>
}

// -----

// A sum of such rows has its lanes along the row.

// CHECK: func.func private @add_reduce{{.*}}loops = [300, 40]
// CHECK-SAME: vector = 16 : i64, vectorize = "d1"
func.func @main(%x: tensor<300x40xf32>) -> tensor<300xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x40xf32>, tensor<f32>) -> tensor<300xf32>
  return %m : tensor<300xf32>
}
