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
