// Parts of concatenations, concatenations of them, rotations.
// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// A row at each end of an array and of what that gives.
// CHECK-LABEL: func.func @reflect
// CHECK-DAG:     %[[A:.*]] = stablehlo.slice %arg0 [1:2, 0:9]
// CHECK-DAG:     %[[B:.*]] = stablehlo.slice %arg0 [5:6, 0:9]
// CHECK:         %[[R:.*]] = stablehlo.concatenate %[[A]], %arg0, %[[B]], dim = 0 : (tensor<1x9xf32>, tensor<7x9xf32>, tensor<1x9xf32>) -> tensor<9x9xf32>
// CHECK-NEXT:    return %[[R]]
func.func @reflect(%x: tensor<7x9xf32>) -> tensor<9x9xf32> {
  %0 = stablehlo.slice %x [1:2, 0:9] : (tensor<7x9xf32>) -> tensor<1x9xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<1x9xf32>, tensor<7x9xf32>) -> tensor<8x9xf32>
  %2 = stablehlo.slice %1 [6:7, 0:9] : (tensor<8x9xf32>) -> tensor<1x9xf32>
  %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<8x9xf32>, tensor<1x9xf32>) -> tensor<9x9xf32>
  return %3 : tensor<9x9xf32>
}

// With steps; what is in several parts, along another dimension, or read by others stays.
// CHECK-LABEL: func.func @parts
// CHECK:         %[[J:.*]] = stablehlo.concatenate %arg0, %arg1, dim = 0
// CHECK-DAG:     stablehlo.slice %arg1 [1:6:2, 2:3] : (tensor<7x9xf32>) -> tensor<3x1xf32>
// CHECK-DAG:     stablehlo.slice %[[J]] [4:8, 0:9]
// CHECK-DAG:     stablehlo.concatenate %[[J]], %[[J]], dim = 1
// CHECK-DAG:     stablehlo.concatenate %[[J]], %arg0, dim = 0
func.func @parts(%x: tensor<7x9xf32>, %y: tensor<7x9xf32>) -> (tensor<3x1xf32>, tensor<4x9xf32>, tensor<14x18xf32>, tensor<21x9xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<7x9xf32>, tensor<7x9xf32>) -> tensor<14x9xf32>
  %1 = stablehlo.slice %0 [8:14:2, 2:3] : (tensor<14x9xf32>) -> tensor<3x1xf32>
  %2 = stablehlo.slice %0 [4:8, 0:9] : (tensor<14x9xf32>) -> tensor<4x9xf32>
  %3 = stablehlo.concatenate %0, %0, dim = 1 : (tensor<14x9xf32>, tensor<14x9xf32>) -> tensor<14x18xf32>
  %4 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<14x9xf32>, tensor<7x9xf32>) -> tensor<21x9xf32>
  return %1, %2, %3, %4 : tensor<3x1xf32>, tensor<4x9xf32>, tensor<14x18xf32>, tensor<21x9xf32>
}

// CHECK-LABEL: func.func @rotated
// CHECK-NOT:     concatenate
// CHECK:         %[[C:.*]] = stablehlo.minimum
// CHECK:         stablehlo.broadcast_in_dim %[[C]], dims = [] : (tensor<i32>) -> tensor<7xi32>
// CHECK:         %[[R:.*]] = "stablehlo.gather"(%arg0, %{{.*}}) {{.*}} : (tensor<3x7x90xf32>, tensor<7xi32>) -> tensor<3x7x90xf32>
// CHECK-NEXT:    return %[[R]]
func.func @rotated(%x: tensor<3x7x90xf32>, %n: tensor<i32>) -> tensor<3x7x90xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<3x7x90xf32>, tensor<3x7x90xf32>) -> tensor<3x14x90xf32>
  %2 = stablehlo.dynamic_slice %1, %0, %n, %0, sizes = [3, 7, 90] : (tensor<3x14x90xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x7x90xf32>
  return %2 : tensor<3x7x90xf32>
}

// Single elements are read faster from the two copies; a part of them, or of other arrays, is no rotation.
// CHECK-LABEL: func.func @other_slices
// CHECK-COUNT-3: stablehlo.dynamic_slice
func.func @other_slices(%x: tensor<7x90xf32>, %y: tensor<7x90xf32>, %n: tensor<i32>) -> (tensor<7x90xf32>, tensor<6x90xf32>, tensor<7x90xf32>) {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<7x90xf32>, tensor<7x90xf32>) -> tensor<7x180xf32>
  %2 = stablehlo.dynamic_slice %1, %0, %n, sizes = [7, 90] : (tensor<7x180xf32>, tensor<i32>, tensor<i32>) -> tensor<7x90xf32>
  %3 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<7x90xf32>, tensor<7x90xf32>) -> tensor<14x90xf32>
  %4 = stablehlo.dynamic_slice %3, %n, %0, sizes = [6, 90] : (tensor<14x90xf32>, tensor<i32>, tensor<i32>) -> tensor<6x90xf32>
  %5 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<7x90xf32>, tensor<7x90xf32>) -> tensor<14x90xf32>
  %6 = stablehlo.dynamic_slice %5, %n, %0, sizes = [7, 90] : (tensor<14x90xf32>, tensor<i32>, tensor<i32>) -> tensor<7x90xf32>
  return %2, %4, %6 : tensor<7x90xf32>, tensor<6x90xf32>, tensor<7x90xf32>
}
