// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// The loop over the window takes its extent from a tensor that is not read.
// CHECK: #[[INPUT:.+]] = affine_map<(d0, d1, d2) -> (d0 * 2 + d2 * 3, d1)>
// CHECK: #[[WINDOW:.+]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK: #[[RESULT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @main
// CHECK: %[[SHAPE:.+]] = tensor.empty() : tensor<2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[INPUT]], #[[WINDOW]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: %[[SHAPE]]
// CHECK: arith.addf
func.func @main(%a: tensor<10x4xf32>, %init: tensor<f32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.reduce_window"(%a, %init) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>}
    : (tensor<10x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A running sum from 0: linear, as a kernel of loops. From what may be another number its padding counts.
// CHECK-LABEL: func.func @cumulative
// CHECK: call @scan_0
// CHECK: func.func private @scan_0
func.func @cumulative(%a: tensor<10xf32>) -> tensor<10xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %init) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 10>, padding = dense<[[9, 0]]> : tensor<1x2xi64>}
    : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// CHECK-LABEL: func.func @from_a_start
// CHECK-NOT: call @scan
// CHECK: linalg.generic
func.func @from_a_start(%a: tensor<10xf32>, %init: tensor<f32>) -> tensor<10xf32> {
  %0 = "stablehlo.reduce_window"(%a, %init) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 10>, padding = dense<[[9, 0]]> : tensor<1x2xi64>}
    : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
