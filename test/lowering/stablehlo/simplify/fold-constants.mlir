// RUN: hlo-opt %s --fold-constants --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: @wraps
// CHECK-NEXT: stablehlo.constant dense<-2147483648> : tensor<1000000xi32>
// CHECK-NEXT: return
func.func @wraps() -> tensor<1000000xi32> {
  %0 = stablehlo.constant dense<2147483647> : tensor<1000000xi32>
  %1 = stablehlo.constant dense<1> : tensor<1000000xi32>
  %2 = stablehlo.add %0, %1 : tensor<1000000xi32>
  return %2 : tensor<1000000xi32>
}

// CHECK-LABEL: @shifts
// CHECK-NEXT: stablehlo.constant dense<[0, -4]> : tensor<2xi8>
func.func @shifts() -> tensor<2xi8> {
  %0 = stablehlo.constant dense<[1, -1]> : tensor<2xi8>
  %1 = stablehlo.constant dense<[8, 2]> : tensor<2xi8>
  %2 = stablehlo.shift_left %0, %1 : tensor<2xi8>
  return %2 : tensor<2xi8>
}

// CHECK-LABEL: @divides_towards_zero
// CHECK-NEXT: stablehlo.constant dense<[-3, 3]> : tensor<2xi32>
func.func @divides_towards_zero() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[-7, 7]> : tensor<2xi32>
  %1 = stablehlo.constant dense<2> : tensor<2xi32>
  %2 = stablehlo.divide %0, %1 : tensor<2xi32>
  return %2 : tensor<2xi32>
}

// CHECK-LABEL: @division_by_zero_stays
// CHECK: stablehlo.divide
func.func @division_by_zero_stays() -> tensor<i32> {
  %0 = stablehlo.constant dense<7> : tensor<i32>
  %1 = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.divide %0, %1 : tensor<i32>
  return %2 : tensor<i32>
}

// CHECK-LABEL: @bfloat16
// CHECK-NEXT: stablehlo.constant dense<[1.500000e+00, 3.000000e+00]> : tensor<2xbf16>
func.func @bfloat16() -> tensor<2xbf16> {
  %0 = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xbf16>
  %1 = stablehlo.constant dense<0.5> : tensor<2xbf16>
  %2 = stablehlo.add %0, %1 : tensor<2xbf16>
  return %2 : tensor<2xbf16>
}

// CHECK-LABEL: @booleans
// CHECK-NEXT: stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
func.func @booleans() -> tensor<3xi1> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 0.0]> : tensor<3xf32>
  %1 = stablehlo.constant dense<2.0> : tensor<3xf32>
  %2 = stablehlo.compare LT, %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %2 : tensor<3xi1>
}

// CHECK-LABEL: @complex_parts
// CHECK-NEXT: stablehlo.constant dense<(2.000000e+00,-1.000000e+00)> : tensor<100000xcomplex<f64>>
// CHECK-NEXT: return
func.func @complex_parts() -> tensor<100000xcomplex<f64>> {
  %0 = stablehlo.constant dense<(2.0, 1.0)> : tensor<complex<f64>>
  %1 = stablehlo.real %0 : (tensor<complex<f64>>) -> tensor<f64>
  %2 = stablehlo.imag %0 : (tensor<complex<f64>>) -> tensor<f64>
  %3 = stablehlo.negate %2 : tensor<f64>
  %4 = stablehlo.complex %1, %3 : tensor<complex<f64>>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<complex<f64>>) -> tensor<100000xcomplex<f64>>
  return %5 : tensor<100000xcomplex<f64>>
}

// CHECK-LABEL: @complex_product_stays
// CHECK: stablehlo.multiply
func.func @complex_product_stays() -> tensor<complex<f32>> {
  %0 = stablehlo.constant dense<(2.0, 1.0)> : tensor<complex<f32>>
  %1 = stablehlo.multiply %0, %0 : tensor<complex<f32>>
  return %1 : tensor<complex<f32>>
}
