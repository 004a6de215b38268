// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<2xi8>, tensor<3xi16>, tensor<2xcomplex<f32>>)
// CHECK-DAG: arith.constant dense<[1, -1]> : tensor<2xi8>
// CHECK-DAG: arith.constant dense<-1> : tensor<3xi16>
// CHECK-DAG: arith.constant dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,4.000000e+00)]> : tensor<2xcomplex<f32>>
func.func @main() -> (tensor<2xui8>, tensor<3xui16>, tensor<2xcomplex<f32>>) {
  %0 = stablehlo.constant dense<[1, 255]> : tensor<2xui8>
  %1 = stablehlo.constant dense<65535> : tensor<3xui16>
  %2 = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  return %0, %1, %2 : tensor<2xui8>, tensor<3xui16>, tensor<2xcomplex<f32>>
}
