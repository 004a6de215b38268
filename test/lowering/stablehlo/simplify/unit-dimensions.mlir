// Dimensions of size 1 that a reshape or a broadcast puts in go through the ops that follow it.
// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// The numbers of a norm stay vectors.
// CHECK-LABEL: func.func @keepdims
// CHECK:         %[[SUM:.*]] = stablehlo.reduce
// CHECK:         %[[ROOT:.*]] = stablehlo.rsqrt %[[SUM]] : tensor<8xf32>
// CHECK:         stablehlo.broadcast_in_dim %[[ROOT]], dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
func.func @keepdims(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  %column = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %root = stablehlo.rsqrt %column : tensor<8x1xf32>
  %all = stablehlo.broadcast_in_dim %root, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x4xf32>
  return %all : tensor<8x4xf32>
}

// Groups of one head in a product, its transpose, a mask that is broadcast, and a sum.
// CHECK-LABEL: func.func @groups
// CHECK-NOT:     1x
// CHECK:         stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2]
// CHECK-SAME:      (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
// CHECK:         stablehlo.select {{.*}} : tensor<2x3x5xi1>, tensor<2x3x5xf32>
// CHECK:         stablehlo.reduce{{.*}} across dimensions = [2] : (tensor<2x3x5xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return
func.func @groups(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %mask: tensor<3x5xi1>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<-1.0> : tensor<1x2x3x5xf32>
  %grouped = stablehlo.reshape %q : (tensor<2x3x4xf32>) -> tensor<2x3x1x4xf32>
  %dot = stablehlo.dot_general %grouped, %k, batching_dims = [0] x [0], contracting_dims = [3] x [2] : (tensor<2x3x1x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x1x5xf32>
  %turned = stablehlo.transpose %dot, dims = [2, 0, 1, 3] : (tensor<2x3x1x5xf32>) -> tensor<1x2x3x5xf32>
  %masks = stablehlo.broadcast_in_dim %mask, dims = [2, 3] : (tensor<3x5xi1>) -> tensor<1x2x3x5xi1>
  %masked = stablehlo.select %masks, %turned, %low : tensor<1x2x3x5xi1>, tensor<1x2x3x5xf32>
  %sum = stablehlo.reduce(%masked init: %zero) applies stablehlo.add across dimensions = [0, 3] : (tensor<1x2x3x5xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %sum : tensor<2x3xf32>
}

// A reduction of nothing but such dimensions applies its body once: 0.0 + -0.0 is not -0.0.
// CHECK-LABEL: func.func @reduced_once
// CHECK-DAG:     %[[X:.*]] = stablehlo.reshape %arg0 : (tensor<3x1xf32>) -> tensor<3xf32>
// CHECK-DAG:     %[[START:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
// CHECK:         %[[SUM:.*]] = stablehlo.add %[[START]], %[[X]] : tensor<3xf32>
// CHECK-NEXT:    return %[[SUM]]
func.func @reduced_once(%x: tensor<3x1xf32>, %start: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A batch of one that comes from outside stays.
// CHECK-LABEL: func.func @batch_of_one
// CHECK-NEXT:    stablehlo.add %arg0, %arg0 : tensor<1x8xf32>
// CHECK-NEXT:    stablehlo.transpose {{.*}} (tensor<1x8xf32>) -> tensor<8x1xf32>
// CHECK-NEXT:    return
func.func @batch_of_one(%x: tensor<1x8xf32>) -> tensor<8x1xf32> {
  %0 = stablehlo.add %x, %x : tensor<1x8xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
  return %1 : tensor<8x1xf32>
}

// A reshape in front of a broadcast that takes such a dimension away is not needed: the broadcast repeats it.
// CHECK-LABEL: func.func @removed
// CHECK-NEXT:    stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<1x8x5xf32>) -> tensor<2x8x5xf32>
// CHECK-NEXT:    return
func.func @removed(%bias: tensor<1x8x5xf32>) -> tensor<2x8x5xf32> {
  %0 = stablehlo.reshape %bias : (tensor<1x8x5xf32>) -> tensor<8x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<8x5xf32>) -> tensor<2x8x5xf32>
  return %1 : tensor<2x8x5xf32>
}
