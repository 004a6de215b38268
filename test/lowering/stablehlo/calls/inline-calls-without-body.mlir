// RUN: not hlo-opt %s --inline-calls 2>&1 | FileCheck %s

// CHECK: inline-calls-without-body.mlir:6:8: error: 'func.call' calls @elsewhere, which has no body

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @elsewhere(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @elsewhere(tensor<f32>) -> tensor<f32>
