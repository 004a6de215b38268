// A norm is one kernel, whose numbers of a row are scalars; where those cost more than the row, they are vectors in a
// kernel of their own.
// RUN: hlo-opt %s --compile-to=kernels | FileCheck %s

// CHECK-LABEL: func.func public @rms_norm
// CHECK-NEXT:    call @[[NORM:[a-z_0-9]+]](%arg0) : (tensor<8x64xf32>) -> tensor<8x64xf32>
// CHECK-NEXT:    return
func.func public @rms_norm(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<64.0> : tensor<8x1xf32>
  %square = stablehlo.multiply %x, %x : tensor<8x64xf32>
  %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %column = stablehlo.reshape %sum : (tensor<8xf32>) -> tensor<8x1xf32>
  %mean = stablehlo.divide %column, %n : tensor<8x1xf32>
  %scale = stablehlo.rsqrt %mean : tensor<8x1xf32>
  %scales = stablehlo.broadcast_in_dim %scale, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x64xf32>
  %result = stablehlo.multiply %x, %scales : tensor<8x64xf32>
  return %result : tensor<8x64xf32>
}

// CHECK-LABEL: func.func public @log_of_sums
// CHECK-NEXT:    %[[SUMS:.*]] = call @[[SUM:[a-z_0-9]+]](%arg0) : (tensor<64x8xf32>) -> tensor<64xf32>
// CHECK-NEXT:    call @[[LOG:[a-z_0-9]+]](%[[SUMS]]) : (tensor<64xf32>) -> tensor<64xf32>
func.func public @log_of_sums(%x: tensor<64x8xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
  %log = stablehlo.log %sum : tensor<64xf32>
  return %log : tensor<64xf32>
}
