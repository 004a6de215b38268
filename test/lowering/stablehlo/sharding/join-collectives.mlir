// RUN: hlo-opt %s --join-collectives | FileCheck %s

// The first two do not depend on each other; the third reads one of them, and the fourth has other groups.
// CHECK-LABEL: @chain
// CHECK: %[[A:.*]]:2 = "stablehlo.all_reduce"(%arg0, %arg1)
// CHECK: (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
// CHECK: %[[S:.*]] = stablehlo.sine %[[A]]#0
// CHECK: "stablehlo.all_reduce"(%[[S]])
// CHECK: "stablehlo.all_reduce"(%arg1)
func.func @chain(%a: tensor<4xf32>, %b: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "stablehlo.all_reduce"(%1) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "stablehlo.all_reduce"(%b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids} : (tensor<8xf32>) -> tensor<8xf32>
  return %3, %2, %4 : tensor<4xf32>, tensor<8xf32>, tensor<8xf32>
}

// Another reducer, and another type: nothing is joined.
// CHECK-LABEL: @different
// CHECK-COUNT-3: "stablehlo.all_reduce"(%arg{{[01]}}) ({
func.func @different(%a: tensor<4xf32>, %b: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%b) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %r = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// A reduce_scatter has one operand: parts along any dimension stand side by side in the rows of a matrix.
// CHECK-LABEL: @scattered
// CHECK: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<4x3xf32>) -> tensor<2x6xf32>
// CHECK: %[[S:.*]] = stablehlo.reshape %arg1 : (tensor<5x2xf32>) -> tensor<5x2x1xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[S]], dims = [1, 0, 2]
// CHECK: %[[B:.*]] = stablehlo.reshape %[[T]] : (tensor<2x5x1xf32>) -> tensor<2x5xf32>
// CHECK: %[[M:.*]] = stablehlo.concatenate %[[A]], %[[B]], dim = 1
// CHECK: %[[R:.*]] = "stablehlo.reduce_scatter"(%[[M]])
// CHECK: scatter_dimension = 0 : i64{{.*}} -> tensor<1x11xf32>
// CHECK: stablehlo.slice %[[R]] [0:1, 0:6]
// CHECK: stablehlo.slice %[[R]] [0:1, 6:11]
// CHECK-NOT: reduce_scatter
func.func @scattered(%a: tensor<4x3xf32>, %b: tensor<5x2xf32>) -> (tensor<2x3xf32>, tensor<5x1xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.reduce_scatter"(%b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %r = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64} : (tensor<5x2xf32>) -> tensor<5x1xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<5x1xf32>
}
