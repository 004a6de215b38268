// RUN: hlo-opt %s --split-input-file --block-scans | FileCheck %s

// CHECK-LABEL: @sums
// CHECK: %[[B:.*]] = stablehlo.reshape %arg0 : (tensor<4096xf32>) -> tensor<8x512xf32>
// CHECK: %[[OWN:.*]] = "stablehlo.reduce_window"(%[[B]], %[[Z:.*]])
// CHECK: window_dimensions = array<i64: 1, 512>
// CHECK: %[[E:.*]] = stablehlo.slice %[[OWN]] [0:8, 511:512]
// CHECK: %[[ENDS:.*]] = stablehlo.reshape %[[E]]
// CHECK: %[[SUMS:.*]] = "stablehlo.reduce_window"(%[[ENDS]], %[[Z]])
// CHECK: %[[F:.*]] = stablehlo.broadcast_in_dim %[[Z]]
// CHECK: %[[O:.*]] = stablehlo.slice %[[SUMS]] [0:7]
// CHECK: %[[BEFORE:.*]] = stablehlo.concatenate %[[F]], %[[O]]
// CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[BEFORE]], dims = [0]
// CHECK: stablehlo.add %[[ALL]], %[[OWN]]
func.func @sums(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 4096>, padding = dense<[[4095, 0]]> : tensor<1x2xi64>} : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// -----
// From the end, of no whole number of blocks.
// CHECK-LABEL: @from_the_end
// CHECK: stablehlo.pad %arg0, {{.*}}high = [72]
// CHECK: %[[OWN:.*]] = "stablehlo.reduce_window"
// CHECK: stablehlo.slice %[[OWN]] [0:6, 0:1]
// CHECK: %[[F:.*]] = stablehlo.broadcast_in_dim
// CHECK: %[[O:.*]] = stablehlo.slice {{.*}} [1:6]
// CHECK: stablehlo.concatenate %[[O]], %[[F]]
// CHECK: stablehlo.maximum
// CHECK: stablehlo.slice {{.*}} [0:3000]
func.func @from_the_end(%x: tensor<3000xf32>) -> tensor<3000xf32> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3000>, padding = dense<[[0, 2999]]> : tensor<1x2xi64>} : (tensor<3000xf32>, tensor<f32>) -> tensor<3000xf32>
  return %0 : tensor<3000xf32>
}

// -----
// Short rows, several rows, integers, windows that are no whole rows.
// CHECK-LABEL: @left
// CHECK-NOT: stablehlo.reshape
func.func @left(%x: tensor<2000xf32>, %y: tensor<8x4096xf32>, %i: tensor<4096xi32>, %w: tensor<4096xf32>, %z: tensor<i32>) -> (tensor<2000xf32>, tensor<8x4096xf32>, tensor<4096xi32>, tensor<4096xf32>) {
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = "stablehlo.reduce_window"(%x, %f) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2000>, padding = dense<[[1999, 0]]> : tensor<1x2xi64>} : (tensor<2000xf32>, tensor<f32>) -> tensor<2000xf32>
  %2 = "stablehlo.reduce_window"(%y, %f) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 4096>, padding = dense<[[0, 0], [4095, 0]]> : tensor<2x2xi64>} : (tensor<8x4096xf32>, tensor<f32>) -> tensor<8x4096xf32>
  %3 = "stablehlo.reduce_window"(%i, %0) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 4096>, padding = dense<[[4095, 0]]> : tensor<1x2xi64>} : (tensor<4096xi32>, tensor<i32>) -> tensor<4096xi32>
  %4 = "stablehlo.reduce_window"(%w, %f) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>
  return %1, %2, %3, %4 : tensor<2000xf32>, tensor<8x4096xf32>, tensor<4096xi32>, tensor<4096xf32>
}
