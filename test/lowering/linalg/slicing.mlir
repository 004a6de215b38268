// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// Boxes: starts are clamped, padding is an insertion into a fill.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.+]]: tensor<8xf32>, %[[I:.+]]: tensor<i32>, %[[Z:.+]]: tensor<f32>)
// CHECK: %[[START:.+]] = tensor.extract %[[I]][]
// CHECK: arith.maxsi
// CHECK: %[[CLAMPED:.+]] = arith.minsi
// CHECK: %[[BOX:.+]] = tensor.extract_slice %[[X]][%[[CLAMPED]]] [2] [1]
// CHECK: %[[FILL:.+]] = linalg.fill
// CHECK: tensor.insert_slice %[[BOX]] into %[[FILL]][1] [2] [3]
func.func @main(%x: tensor<8xf32>, %i: tensor<i32>, %z: tensor<f32>) -> tensor<7xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
  %1 = stablehlo.pad %0, %z, low = [1], high = [2], interior = [2] : (tensor<2xf32>, tensor<f32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}
