// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// The accumulator is the body's first argument.

// CHECK-LABEL: func.func @main
// CHECK: %[[INIT:.+]] = tensor.extract
// CHECK: %[[START:.+]] = linalg.fill ins(%[[INIT]] : f32)
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} {{.*}} outs(%[[START]] : tensor<3xf32>)
// CHECK: ^bb0(%[[IN:.+]]: f32, %[[OUT:.+]]: f32):
// CHECK: arith.subf %[[OUT]], %[[IN]]
func.func @main(%x: tensor<3x4xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %init) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
  return %0 : tensor<3xf32>
}
