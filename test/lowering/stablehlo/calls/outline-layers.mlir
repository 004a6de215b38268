// RUN: hlo-opt %s --split-input-file --outline-layers | FileCheck %s

// Begins where one value is alive; the constant that is the same each time is inside.
// CHECK-LABEL: func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32>)
// CHECK: %[[FIRST:.*]] = stablehlo.sine %arg0
// CHECK-NEXT: %[[A:.*]] = call @layer_0(%[[FIRST]], %arg1)
// CHECK-NEXT: %[[B:.*]] = call @layer_0(%[[A]], %arg2)
// CHECK-NEXT: %[[C:.*]] = call @layer_0(%[[B]], %arg3)
// CHECK-NEXT: return %[[C]]
// CHECK: func.func private @layer_0(%arg0: tensor<4x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<4x8xf32> attributes {hlo.layer} {
// CHECK-DAG: stablehlo.constant dense<2.0
// CHECK-DAG: stablehlo.dot_general %arg0, %arg1
// CHECK: stablehlo.tanh
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add
// CHECK-NEXT: return %[[SUM]]
func.func public @main(%x: tensor<4x8xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4x8xf32>
  %first = stablehlo.sine %x : tensor<4x8xf32>
  %0 = stablehlo.dot_general %first, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.multiply %0, %two : tensor<4x8xf32>
  %2 = stablehlo.tanh %1 : tensor<4x8xf32>
  %3 = stablehlo.add %first, %2 : tensor<4x8xf32>
  %4 = stablehlo.dot_general %3, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.multiply %4, %two : tensor<4x8xf32>
  %6 = stablehlo.tanh %5 : tensor<4x8xf32>
  %7 = stablehlo.add %3, %6 : tensor<4x8xf32>
  %8 = stablehlo.dot_general %7, %c, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %9 = stablehlo.multiply %8, %two : tensor<4x8xf32>
  %10 = stablehlo.tanh %9 : tensor<4x8xf32>
  %11 = stablehlo.add %7, %10 : tensor<4x8xf32>
  return %11 : tensor<4x8xf32>
}

// -----

// Not behind a product: the bias of the first layer is added outside.
// CHECK-LABEL: func.func public @bias
// CHECK: stablehlo.dot_general
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: call @layer_0
// CHECK-NEXT: call @layer_0
// CHECK-NEXT: call @layer_0
// CHECK-NEXT: return
// CHECK: func.func private @layer_0
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: return
func.func public @bias(%x: tensor<4x3xf32>, %w: tensor<3x8xf32>, %a: tensor<8x8xf32>, %s: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.add %0, %s : tensor<4x8xf32>
  %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.add %2, %s : tensor<4x8xf32>
  %4 = stablehlo.dot_general %3, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.add %4, %s : tensor<4x8xf32>
  %6 = stablehlo.dot_general %5, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %7 = stablehlo.add %6, %s : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// -----

// Read again at the end, as a gradient does: stays as it is.
// CHECK-LABEL: func.func public @kept
// CHECK-NOT: call
// CHECK-NOT: @layer
func.func public @kept(%x: tensor<4x8xf32>, %a: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.tanh %2 : tensor<4x8xf32>
  %4 = stablehlo.dot_general %3, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.tanh %4 : tensor<4x8xf32>
  return %5, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Twice is not often enough; nor are cheap ops.
// CHECK-LABEL: func.func public @few
// CHECK-NOT: call
// CHECK-NOT: @layer
func.func public @few(%x: tensor<8x8xf32>, %a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.tanh %2 : tensor<8x8xf32>
  %4 = stablehlo.sine %3 : tensor<8x8xf32>
  %5 = stablehlo.sine %4 : tensor<8x8xf32>
  %6 = stablehlo.sine %5 : tensor<8x8xf32>
  %7 = stablehlo.sine %6 : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// -----

// An argument that may be overwritten could not be in a function.
// CHECK: module attributes {hlo.donated = array<i64: 0>}
// CHECK-NOT: @layer
module attributes {hlo.donated = array<i64: 0>} {
  func.func public @donated(%x: tensor<4x8xf32>, %a: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.tanh %0 : tensor<4x8xf32>
    %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.tanh %2 : tensor<4x8xf32>
    %4 = stablehlo.dot_general %3, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.tanh %4 : tensor<4x8xf32>
    return %5 : tensor<4x8xf32>
  }
}

// -----

// Complex constants that are the same each time are inside as well.
// CHECK-LABEL: func.func public @complex_layers
// CHECK-COUNT-3: call @layer_0
// CHECK: func.func private @layer_0(%arg0: tensor<8x8xcomplex<f32>>, %arg1: tensor<8x8xcomplex<f32>>)
// CHECK-NEXT: stablehlo.constant dense<(1.000000e+00,2.000000e+00)>
func.func public @complex_layers(%x: tensor<8x8xcomplex<f32>>, %w: tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>> {
  %c0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<8x8xcomplex<f32>>
  %a0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  %b0 = stablehlo.add %a0, %c0 : tensor<8x8xcomplex<f32>>
  %c1 = stablehlo.constant dense<(1.0, 2.0)> : tensor<8x8xcomplex<f32>>
  %a1 = stablehlo.dot_general %b0, %w, contracting_dims = [1] x [0] : (tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  %b1 = stablehlo.add %a1, %c1 : tensor<8x8xcomplex<f32>>
  %c2 = stablehlo.constant dense<(1.0, 2.0)> : tensor<8x8xcomplex<f32>>
  %a2 = stablehlo.dot_general %b1, %w, contracting_dims = [1] x [0] : (tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  %b2 = stablehlo.add %a2, %c2 : tensor<8x8xcomplex<f32>>
  return %b2 : tensor<8x8xcomplex<f32>>
}
