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

// A sum of complex numbers is one op, whichever operand comes first; of windows too.

// CHECK-LABEL: func.func @complex_sum
// CHECK: ^bb0(%[[IN:.+]]: complex<f32>, %[[OUT:.+]]: complex<f32>):
// CHECK: %[[SUM:.+]] = complex.add %[[OUT]], %[[IN]]
// CHECK: linalg.yield %[[SUM]]
func.func @complex_sum(%x: tensor<3x4xcomplex<f32>>, %init: tensor<complex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.reduce(%x init: %init) across dimensions = [1] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    reducer(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>) {
      %1 = stablehlo.add %b, %a : tensor<complex<f32>>
      stablehlo.return %1 : tensor<complex<f32>>
    }
  return %0 : tensor<3xcomplex<f32>>
}

// CHECK-LABEL: func.func @complex_windows
// CHECK: complex.add
// CHECK-NEXT: linalg.yield
func.func @complex_windows(%x: tensor<8xcomplex<f32>>, %z: tensor<complex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %s = stablehlo.add %a, %b : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
