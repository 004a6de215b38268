// RUN: hlo-opt %s --compile-to=kernels | FileCheck %s

// Sums of columns are vectors along the result: what is made of the sums is a kernel of its own, which would want vectors along each column.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @
// CHECK: hlo.schedule = {stages = {{.*}}loops = [1000, 500], {{.*}}vectorize = "d0"
func.func @main(%a: tensor<500x1000xcomplex<f32>>, %b: tensor<500xcomplex<f32>>) -> tensor<1000xcomplex<f32>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<500x1000xcomplex<f32>>, tensor<500xcomplex<f32>>) -> tensor<1000xcomplex<f32>>
  return %0 : tensor<1000xcomplex<f32>>
}
