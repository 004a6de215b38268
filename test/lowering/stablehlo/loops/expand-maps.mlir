// RUN: hlo-opt %s --expand-maps --split-input-file | FileCheck %s

// What no element has a part in is computed once; the constant that it reads goes with it, the other one stays.
// CHECK-LABEL: func.func @invariant
// CHECK-NOT: stablehlo.while
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.0
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%{{.*}} init: %[[ZERO]])
// CHECK: "stablehlo.map"
// CHECK: stablehlo.constant dense<2.0
// CHECK: stablehlo.add %{{.*}}, %[[SUM]]
func.func @invariant(%x: tensor<2x3xf32>, %v: tensor<4xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%e: tensor<f32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %s = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.add %e, %s : tensor<f32>
    %2 = stablehlo.multiply %1, %two : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @loop
// CHECK-NOT: stablehlo.map
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [1]
// CHECK: stablehlo.custom_call @f
// CHECK: stablehlo.dynamic_update_slice
// CHECK: stablehlo.reshape %{{.*}} : (tensor<6xi32>) -> tensor<2x3xi32>
func.func @loop(%x: tensor<2x3xf32>) -> tensor<2x3xi32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%e: tensor<f32>):
    %1 = stablehlo.custom_call @f(%e) : (tensor<f32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: func.func @scalars
// CHECK-NEXT: stablehlo.multiply
// CHECK-NEXT: return
func.func @scalars(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%e: tensor<f32>):
    %1 = stablehlo.multiply %e, %e : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Functions on scalars stay as they are.
// CHECK-LABEL: func.func @elementwise
// CHECK-NEXT: "stablehlo.map"
func.func @elementwise(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%e: tensor<f32>):
    %1 = stablehlo.multiply %e, %e : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
