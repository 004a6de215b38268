// RUN: hlo-opt %s --legalize-element-types | FileCheck %s

// Small integers: bytes, wrapped after each op; the host leaves the upper bits open.
// CHECK-LABEL: @wraps(%arg0: tensor<4xi8>) -> tensor<4xi8>
// CHECK: %[[HIGH:.*]] = stablehlo.shift_left %arg0
// CHECK: %[[X:.*]] = stablehlo.shift_right_arithmetic %[[HIGH]]
// CHECK: %[[SUM:.*]] = stablehlo.add %[[X]], %[[X]]
// CHECK: stablehlo.shift_left %[[SUM]]
// CHECK: %[[WRAPPED:.*]] = stablehlo.shift_right_arithmetic
// CHECK: %[[BITS:.*]] = stablehlo.and %[[WRAPPED]]
// CHECK: return %[[BITS]]
func.func @wraps(%x: tensor<4xi4>) -> tensor<4xi4> {
  %0 = stablehlo.add %x, %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}

// Ops that move elements move bytes.
// CHECK-LABEL: @moves(%arg0: tensor<2x3xui8>) -> tensor<3x2xui8>
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %arg0
// CHECK-NEXT: return %[[T]]
func.func @moves(%x: tensor<2x3xf8E5M2>) -> tensor<3x2xf8E5M2> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf8E5M2>) -> tensor<3x2xf8E5M2>
  return %0 : tensor<3x2xf8E5M2>
}

// Small floats are computed in f32, in regions too.
// CHECK-LABEL: @sums
// CHECK: stablehlo.constant dense<0> : tensor<ui8>
// CHECK: stablehlo.reduce(%arg0 init
// CHECK: stablehlo.add {{.*}} : tensor<f32>
// CHECK: stablehlo.return {{.*}} : tensor<ui8>
func.func @sums(%x: tensor<8xf8E4M3FN>) -> tensor<f8E4M3FN> {
  %zero = stablehlo.constant dense<0.0> : tensor<f8E4M3FN>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  return %0 : tensor<f8E4M3FN>
}

// A quantized sum: number = (stored - zero point) * scale.
// CHECK-LABEL: @quantized(%arg0: tensor<2xi8>) -> tensor<2xi8>
// CHECK: stablehlo.convert %arg0 : (tensor<2xi8>) -> tensor<2xi32>
// CHECK: stablehlo.subtract
// CHECK: stablehlo.convert {{.*}} : (tensor<2xi32>) -> tensor<2xf32>
// CHECK: stablehlo.multiply
// CHECK: stablehlo.add
// CHECK: stablehlo.divide
// CHECK: stablehlo.add
// CHECK: stablehlo.minimum
// CHECK: stablehlo.round_nearest_even
// CHECK: stablehlo.convert {{.*}} : (tensor<2xf32>) -> tensor<2xi8>
func.func @quantized(%x: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.add %x, %x : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
}

// What the host sees keeps its types.
// CHECK-LABEL: @calls
// CHECK: stablehlo.custom_call @f({{.*}}hlo.operand_types = [tensor<2xf8E5M2>]
func.func @calls(%x: tensor<2xf8E5M2>) {
  stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<2xf8E5M2>) -> ()
  return
}
