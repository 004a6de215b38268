// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: @sum
// CHECK: %[[S:.*]] = stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<4x8xui8>, tensor<ui8>) -> tensor<4xui8>
// CHECK-NEXT: return %[[S]]
func.func @sum(%x: tensor<4x8xui8>) -> tensor<4xui8> {
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %0 = stablehlo.convert %x : (tensor<4x8xui8>) -> tensor<4x8xui32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xui32>, tensor<ui32>) -> tensor<4xui32>
  %2 = stablehlo.convert %1 : (tensor<4xui32>) -> tensor<4xui8>
  return %2 : tensor<4xui8>
}

// What is reduced is cut off or extended to the type of the result, by its own sign.
// CHECK-LABEL: @other_types
// CHECK: %[[A:.*]] = stablehlo.convert %arg0 : (tensor<4x8xi8>) -> tensor<4x8xui16>
// CHECK: stablehlo.reduce(%[[A]]
// CHECK-SAME: stablehlo.multiply
// CHECK: %[[B:.*]] = stablehlo.convert %arg1 : (tensor<4x8xi32>) -> tensor<4x8xi16>
// CHECK: stablehlo.reduce(%[[B]]
// CHECK-SAME: stablehlo.xor
func.func @other_types(%x: tensor<4x8xi8>, %y: tensor<4x8xi32>) -> (tensor<4xui16>, tensor<4xi16>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %0 = stablehlo.convert %x : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %1 = stablehlo.reduce(%0 init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<4x8xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = stablehlo.convert %1 : (tensor<4xi32>) -> tensor<4xui16>
  %3 = stablehlo.convert %y : (tensor<4x8xi32>) -> tensor<4x8xi64>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.xor across dimensions = [1] : (tensor<4x8xi64>, tensor<i64>) -> tensor<4xi64>
  %5 = stablehlo.convert %4 : (tensor<4xi64>) -> tensor<4xi16>
  return %2, %5 : tensor<4xui16>, tensor<4xi16>
}

// A maximum depends on the high bits; a sum that is used as a whole stays; so does one whose result is a bool (whether it is 0) or a float.
// CHECK-LABEL: @not
// CHECK: stablehlo.maximum across dimensions = [1] : (tensor<4x8xui32>
// CHECK: stablehlo.add across dimensions = [1] : (tensor<4x8xui32>
// CHECK: stablehlo.add across dimensions = [1] : (tensor<4x8xi32>
func.func @not(%x: tensor<4x8xui8>, %y: tensor<4x8xi8>) -> (tensor<4xui8>, tensor<4xui8>, tensor<4xui32>, tensor<4xi1>) {
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.convert %x : (tensor<4x8xui8>) -> tensor<4x8xui32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xui32>, tensor<ui32>) -> tensor<4xui32>
  %2 = stablehlo.convert %1 : (tensor<4xui32>) -> tensor<4xui8>
  %3 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xui32>, tensor<ui32>) -> tensor<4xui32>
  %4 = stablehlo.convert %3 : (tensor<4xui32>) -> tensor<4xui8>
  %5 = stablehlo.convert %y : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %6 = stablehlo.reduce(%5 init: %none) applies stablehlo.add across dimensions = [1] : (tensor<4x8xi32>, tensor<i32>) -> tensor<4xi32>
  %7 = stablehlo.convert %6 : (tensor<4xi32>) -> tensor<4xi1>
  return %2, %4, %3, %7 : tensor<4xui8>, tensor<4xui8>, tensor<4xui32>, tensor<4xi1>
}
