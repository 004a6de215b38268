// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: @neutral
// CHECK-NEXT: return %arg0
func.func @neutral(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<4xf32>
  %2 = stablehlo.add %x, %0 : tensor<4xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<4xf32>
  %4 = stablehlo.negate %3 : tensor<4xf32>
  %5 = stablehlo.negate %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// x + 0.0 is no identity: -0.0 + 0.0 = 0.0. Neither is x * 0.0 = 0.0.
// CHECK-LABEL: @not_of_floats
// CHECK: stablehlo.add
// CHECK: stablehlo.multiply
// CHECK: stablehlo.subtract
func.func @not_of_floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
  %1 = stablehlo.add %x, %0 : tensor<4xf32>
  %2 = stablehlo.multiply %x, %0 : tensor<4xf32>
  %3 = stablehlo.subtract %x, %x : tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @shapes
// CHECK-NEXT: return %arg0
func.func @shapes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x3xf32>) -> tensor<6xf32>
  %3 = stablehlo.reshape %2 : (tensor<6xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.slice %3 [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// Each element four times, in two steps.
// CHECK-LABEL: @upsampled
// CHECK-NEXT: %[[WIDE:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [1, 3] : (tensor<2x3xf32>) -> tensor<5x2x4x3x6xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %[[WIDE]] : (tensor<5x2x4x3x6xf32>) -> tensor<5x8x18xf32>
// CHECK-NEXT: return %[[R]]
func.func @upsampled(%x: tensor<2x3xf32>) -> tensor<5x8x18xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4x3xf32>) -> tensor<8x3xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<8x3xf32>) -> tensor<5x8x3x6xf32>
  %3 = stablehlo.reshape %2 : (tensor<5x8x3x6xf32>) -> tensor<5x8x18xf32>
  return %3 : tensor<5x8x18xf32>
}

// A reshape that parts dimensions stays where it is.
// CHECK-LABEL: @not_joined
// CHECK: stablehlo.broadcast_in_dim
// CHECK: stablehlo.reshape
// CHECK: stablehlo.broadcast_in_dim
func.func @not_joined(%x: tensor<6xf32>) -> tensor<2x3x4x5xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<2x3x4xf32>) -> tensor<2x3x4x5xf32>
  return %2 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @slices
// CHECK-NEXT: stablehlo.slice %arg0 [3:8:4]
func.func @slices(%x: tensor<10xf32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %x [1:10:2] : (tensor<10xf32>) -> tensor<5xf32>
  %1 = stablehlo.slice %0 [1:5:2] : (tensor<5xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: @converts
// CHECK-NEXT: stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f16>
// CHECK-NEXT: stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f16>
// CHECK-NEXT: stablehlo.convert {{.*}} -> tensor<f32>
func.func @converts(%x: tensor<f32>) -> (tensor<f16>, tensor<f32>) {
  %0 = stablehlo.convert %x : (tensor<f32>) -> tensor<f64>
  %1 = stablehlo.convert %0 : (tensor<f64>) -> tensor<f16>
  %2 = stablehlo.convert %x : (tensor<f32>) -> tensor<f16>
  %3 = stablehlo.convert %2 : (tensor<f16>) -> tensor<f32>
  return %1, %3 : tensor<f16>, tensor<f32>
}

// CHECK-LABEL: @known_branch
// CHECK-NEXT: stablehlo.sine
// CHECK-NEXT: return
func.func @known_branch(%x: tensor<f32>) -> tensor<f32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// What is at least any number, or at most, is the other operand; the constant may be broadcast.
// CHECK-LABEL: func.func @neutral_of_maxima
// CHECK-NEXT:    %[[KEPT:.*]] = stablehlo.maximum %arg0
// CHECK-NEXT:    return %arg0, %arg0, %[[KEPT]]
func.func @neutral_of_maxima(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %all = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %most = stablehlo.constant dense<0x7F800000> : tensor<4xf32>
  %0 = stablehlo.maximum %all, %x : tensor<4xf32>
  %1 = stablehlo.minimum %x, %most : tensor<4xf32>
  %2 = stablehlo.maximum %x, %y : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What is never negative, nor -0.0, is its own absolute value, and its sum with 0.0.
// CHECK-LABEL: func.func @never_negative
// CHECK-NEXT:    %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT:    %[[E:.*]] = stablehlo.exponential %arg0
// CHECK-NEXT:    %[[W:.*]] = stablehlo.convert %[[E]]
// CHECK-NEXT:    %[[KEPT:.*]] = stablehlo.add %arg1, %[[ZERO]]
// CHECK-NEXT:    %[[ABS:.*]] = stablehlo.abs %[[KEPT]]
// CHECK-NEXT:    return %[[W]], %[[ABS]]
func.func @never_negative(%x: tensor<4xf16>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.exponential %x : tensor<4xf16>
  %1 = stablehlo.convert %0 : (tensor<4xf16>) -> tensor<4xf32>
  %2 = stablehlo.add %zero, %1 : tensor<4xf32>
  %3 = stablehlo.abs %2 : tensor<4xf32>
  %4 = stablehlo.add %y, %zero : tensor<4xf32>
  %5 = stablehlo.abs %4 : tensor<4xf32>
  return %3, %5 : tensor<4xf32>, tensor<4xf32>
}

// x less x is 0, or NaN; what is infinite stays: exp and log take such numbers there and back, and no others.
// CHECK-LABEL: func.func @log_of_exp
// CHECK:         %[[Z:.*]] = stablehlo.subtract %arg0,
// CHECK:         %[[R:.*]] = stablehlo.reshape %[[Z]] : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[E:.*]] = stablehlo.exponential %arg0
// CHECK:         %[[L:.*]] = stablehlo.log %[[E]]
// CHECK-NEXT:    return %[[R]], %[[L]]
func.func @log_of_exp(%x: tensor<4x1xf32>) -> (tensor<4xf32>, tensor<4x1xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.reshape %x : (tensor<4x1xf32>) -> tensor<4xf32>
  %1 = stablehlo.is_finite %0 : (tensor<4xf32>) -> tensor<4xi1>
  %2 = stablehlo.select %1, %0, %zero : tensor<4xi1>, tensor<4xf32>
  %3 = stablehlo.reshape %2 : (tensor<4xf32>) -> tensor<4x1xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<4x1xf32>
  %5 = stablehlo.exponential %4 : tensor<4x1xf32>
  %6 = stablehlo.reshape %5 : (tensor<4x1xf32>) -> tensor<4xf32>
  %7 = stablehlo.log %6 : tensor<4xf32>
  %8 = stablehlo.exponential %x : tensor<4x1xf32>
  %9 = stablehlo.log %8 : tensor<4x1xf32>
  return %7, %9 : tensor<4xf32>, tensor<4x1xf32>
}

// A dimension of one element is in order.
// CHECK-LABEL: func.func @sort_of_one
// CHECK-NEXT:    return %arg0, %arg1
func.func @sort_of_one(%x: tensor<4x1xf32>, %y: tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x1xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1xi32>)
  return %0#0, %0#1 : tensor<4x1xf32>, tensor<4x1xi32>
}
