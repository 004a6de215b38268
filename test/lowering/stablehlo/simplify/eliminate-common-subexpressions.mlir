// RUN: hlo-opt %s --eliminate-common-subexpressions | FileCheck %s

// CHECK-LABEL: @equal
// CHECK: %[[A:.*]] = stablehlo.sine %arg0
// CHECK-NEXT: stablehlo.add %[[A]], %[[A]]
func.func @equal(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  %1 = stablehlo.sine %x : tensor<f32>
  %2 = stablehlo.add %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// Attributes and result types count.
// CHECK-LABEL: @different
// CHECK-COUNT-2: stablehlo.compare
// CHECK-COUNT-2: stablehlo.convert
func.func @different(%x: tensor<f32>) -> (tensor<i1>, tensor<i1>, tensor<f16>, tensor<f64>) {
  %0 = stablehlo.compare LT, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = stablehlo.compare GT, %x, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = stablehlo.convert %x : (tensor<f32>) -> tensor<f16>
  %3 = stablehlo.convert %x : (tensor<f32>) -> tensor<f64>
  return %0, %1, %2, %3 : tensor<i1>, tensor<i1>, tensor<f16>, tensor<f64>
}

// One branch does not dominate the other.
// CHECK-LABEL: @branches
// CHECK-COUNT-2: stablehlo.sine
func.func @branches(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.sine %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %2 = stablehlo.sine %x : tensor<f32>
    %3 = stablehlo.negate %2 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @regions
// CHECK-COUNT-1: stablehlo.reduce
// CHECK-NOT: stablehlo.reduce
// CHECK: return
func.func @regions(%x: tensor<4xf32>, %i: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
