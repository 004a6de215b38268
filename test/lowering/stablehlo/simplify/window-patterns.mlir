// Windows over equal elements are reduced once.
// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: func.func @counts
// CHECK:         %[[ONES:.*]] = stablehlo.constant dense<1.0{{.*}}> : tensor<1x5x1xf32>
// CHECK:         %[[COUNTS:.*]] = "stablehlo.reduce_window"(%[[ONES]], %{{.*}})
// CHECK:         (tensor<1x5x1xf32>, tensor<f32>) -> tensor<1x5x1xf32>
// CHECK:         %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[COUNTS]], dims = [0, 1, 2] : (tensor<1x5x1xf32>) -> tensor<8x5x6xf32>
// CHECK-NEXT:    return %[[ALL]]
func.func @counts() -> tensor<8x5x6xf32> {
  %ones = stablehlo.constant dense<1.0> : tensor<8x5x6xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%ones, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 1>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}
    : (tensor<8x5x6xf32>, tensor<f32>) -> tensor<8x5x6xf32>
  return %0 : tensor<8x5x6xf32>
}

// Only along dimensions in which elements are repeated and windows do not move.
// CHECK-LABEL: func.func @of_a_row
// CHECK:         "stablehlo.reduce_window"(%{{.*}}, %arg1)
// CHECK:         (tensor<1x5x6xf32>, tensor<f32>) -> tensor<1x5x6xf32>
func.func @of_a_row(%row: tensor<6xf32>, %start: tensor<f32>) -> tensor<8x5x6xf32> {
  %x = stablehlo.broadcast_in_dim %row, dims = [2] : (tensor<6xf32>) -> tensor<8x5x6xf32>
  %0 = "stablehlo.reduce_window"(%x, %start) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 1>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}
    : (tensor<8x5x6xf32>, tensor<f32>) -> tensor<8x5x6xf32>
  return %0 : tensor<8x5x6xf32>
}

// CHECK-LABEL: func.func @of_all
// CHECK:         (tensor<8x5xf32>, tensor<f32>) -> tensor<8x5xf32>
func.func @of_all(%x: tensor<8x5xf32>, %start: tensor<f32>) -> tensor<8x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %start) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}
    : (tensor<8x5xf32>, tensor<f32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}
