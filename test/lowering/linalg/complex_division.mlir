// RUN: hlo-opt %s --fold-constants --stablehlo-to-linalg | FileCheck %s

// A divisor that is known to be real needs no scaling, whose factor would be chosen by a comparison.

// CHECK-LABEL: func.func public @constant
// CHECK-NOT: arith.maximumf
// CHECK: arith.divf
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func public @constant(%z: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
  %two = stablehlo.constant dense<(2.0, 0.0)> : tensor<complex<f64>>
  %b = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
  %0 = stablehlo.divide %z, %b : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}

// CHECK-LABEL: func.func public @converted
// CHECK-NOT: arith.maximumf
// CHECK: return
func.func public @converted(%z: tensor<4xcomplex<f64>>, %r: tensor<f64>) -> tensor<4xcomplex<f64>> {
  %c = stablehlo.convert %r : (tensor<f64>) -> tensor<complex<f64>>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
  %0 = stablehlo.divide %z, %b : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}

// CHECK-LABEL: func.func public @of_parts
// CHECK-NOT: arith.maximumf
// CHECK: return
func.func public @of_parts(%z: tensor<4xcomplex<f64>>, %r: tensor<4xf64>) -> tensor<4xcomplex<f64>> {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf64>
  %c = stablehlo.complex %r, %zero : tensor<4xcomplex<f64>>
  %0 = stablehlo.divide %z, %c : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}

// CHECK-LABEL: func.func public @imaginary
// CHECK: arith.maximumf
// CHECK: return
func.func public @imaginary(%z: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
  %c = stablehlo.constant dense<(2.0, 1.0)> : tensor<4xcomplex<f64>>
  %0 = stablehlo.divide %z, %c : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}

// CHECK-LABEL: func.func public @negative_zero
// CHECK: arith.maximumf
// CHECK: return
func.func public @negative_zero(%z: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
  %c = stablehlo.constant dense<(2.0, -0.0)> : tensor<4xcomplex<f64>>
  %0 = stablehlo.divide %z, %c : tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}
