// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// The parts of an array that is made of parts are these.

// CHECK-LABEL: func.func public @made
// CHECK-SAME: (%[[RE:.*]]: tensor<4xf64>, %[[IM:.*]]: tensor<4xf64>)
// CHECK: return %[[IM]], %[[RE]]
func.func public @made(%re: tensor<4xf64>, %im: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %c = stablehlo.complex %re, %im : tensor<4xcomplex<f64>>
  %0 = stablehlo.real %c : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %1 = stablehlo.imag %c : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  return %1, %0 : tensor<4xf64>, tensor<4xf64>
}

// CHECK-LABEL: func.func public @given
// CHECK: complex.im
func.func public @given(%c: tensor<4xcomplex<f64>>) -> tensor<4xf64> {
  %0 = stablehlo.imag %c : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func.func public @splat
// CHECK: linalg.fill
func.func public @splat() -> tensor<4xcomplex<f64>> {
  %c = stablehlo.constant dense<(2.0, 1.0)> : tensor<4xcomplex<f64>>
  return %c : tensor<4xcomplex<f64>>
}
