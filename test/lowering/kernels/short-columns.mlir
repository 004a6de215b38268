// RUN: env HLO_CPU=avx2 hlo-opt %s --compile-to=kernels | FileCheck %s

// Vectors of 4 along rows of 7, and scalars: vectors across the rows would gather all they read, once for each column.
// CHECK-LABEL: func.func private @min_reduce_0
// CHECK-SAME: loops = [3000, 7, 7]
// CHECK-SAME: vector = 4 : i64, vectorize = "d2"
// A maximum of floats waits long for the one before: of long rows there are several partial results.
// CHECK-LABEL: func.func private @max_reduce_0
// CHECK-SAME: loops = [3000, 100, 6]
// CHECK-SAME: vectorize = "d1"
func.func @main(%x: tensor<3000x7x7xi32>, %y: tensor<3000x100x6xf32>) -> (tensor<3000x7xi32>, tensor<3000x6xf32>) {
  %high = stablehlo.constant dense<2147483647> : tensor<i32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<3000x7x7xi32>, tensor<i32>) -> tensor<3000x7xi32>
  %1 = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3000x100x6xf32>, tensor<f32>) -> tensor<3000x6xf32>
  return %0, %1 : tensor<3000x7xi32>, tensor<3000x6xf32>
}
