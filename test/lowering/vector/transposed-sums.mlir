// RUN: hlo-opt %s --compile-to=kernels | FileCheck %s

// Sums of columns are vectors along the result: what is made of the sums is a kernel of its own, which would want vectors along each column.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @
// CHECK: hlo.schedule = {stages = {{.*}}loops = [500, 1000], {{.*}}vectorize = "d1"
func.func @main(%a: tensor<500x1000xf32>, %b: tensor<500xf32>) -> tensor<1000xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<500xf32>) -> tensor<500x1000xf32>
  %1 = stablehlo.add %a, %0 : tensor<500x1000xf32>
  %2 = stablehlo.subtract %a, %0 : tensor<500x1000xf32>
  %3:2 = stablehlo.reduce(%1 init: %zero), (%2 init: %zero) across dimensions = [0] : (tensor<500x1000xf32>, tensor<500x1000xf32>, tensor<f32>, tensor<f32>) -> (tensor<1000xf32>, tensor<1000xf32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<f32>, %q: tensor<f32>) {
      %s = stablehlo.add %x, %y : tensor<f32>
      %t = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s, %t : tensor<f32>, tensor<f32>
    }
  %4 = stablehlo.divide %3#0, %3#1 : tensor<1000xf32>
  return %4 : tensor<1000xf32>
}
