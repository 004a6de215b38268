// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// Through what is computed of the stack; what has all of its parts alike is read once for each.
// CHECK-LABEL: func.func @sum
// CHECK-NOT:     concatenate
// CHECK-NOT:     reduce
// CHECK:         %[[Z:.*]] = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<5xf32>
// CHECK:         %[[A:.*]] = stablehlo.multiply %arg0, %arg2 : tensor<5xf32>
// CHECK:         %[[S:.*]] = stablehlo.add %[[Z]], %[[A]] : tensor<5xf32>
// CHECK:         %[[B:.*]] = stablehlo.multiply %arg1, %arg2 : tensor<5xf32>
// CHECK:         %[[T:.*]] = stablehlo.add %[[S]], %[[B]] : tensor<5xf32>
// CHECK-NEXT:    return %[[T]]
func.func @sum(%a: tensor<5xf32>, %b: tensor<5xf32>, %w: tensor<5xf32>, %init: tensor<f32>) -> tensor<5xf32> {
  %0 = stablehlo.reshape %a : (tensor<5xf32>) -> tensor<1x5xf32>
  %1 = stablehlo.reshape %b : (tensor<5xf32>) -> tensor<1x5xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
  %3 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<5xf32>) -> tensor<2x5xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<2x5xf32>
  %5 = stablehlo.reduce(%4 init: %init) applies stablehlo.add across dimensions = [0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// Positions are numbers; a constant and a number of the function have the shape of the result.
// CHECK-LABEL: func.func @first_above
// CHECK-NOT:     concatenate
// CHECK-NOT:     reduce
// CHECK-DAG:     stablehlo.constant dense<1> : tensor<3xi32>
// CHECK-DAG:     stablehlo.constant dense<2.500000e-01> : tensor<3xf32>
// CHECK:         return %{{.*}}, %{{.*}} : tensor<3xf32>, tensor<3xi32>
func.func @first_above(%a: tensor<3x1xf32>, %b: tensor<3x1xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.iota dim = 1 : tensor<3x2xi32>
  %2:2 = stablehlo.reduce(%0 init: %zero), (%1 init: %none) across dimensions = [1] : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.constant dense<0.25> : tensor<f32>
    %3 = stablehlo.add %x, %more : tensor<f32>
    %4 = stablehlo.compare GE, %3, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.select %4, %x, %y : tensor<i1>, tensor<f32>
    %6 = stablehlo.select %4, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %5, %6 : tensor<f32>, tensor<i32>
  }
  return %2#0, %2#1 : tensor<3xf32>, tensor<3xi32>
}

// Not: along another dimension, parts of two rows, an elementwise function that is read elsewhere too.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: stablehlo.reduce(
func.func @others(%a: tensor<1x5xf32>, %b: tensor<2x5xf32>, %zero: tensor<f32>) -> (tensor<2xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x5xf32>) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
  %1 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x5xf32>, tensor<2x5xf32>) -> tensor<3x5xf32>
  %2 = stablehlo.exponential %0 : tensor<2x5xf32>
  %3 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
  %5 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %3, %4, %5, %2 : tensor<2xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2x5xf32>
}
