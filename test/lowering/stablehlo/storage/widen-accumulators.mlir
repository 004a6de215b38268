// RUN: hlo-opt %s --widen-accumulators --split-input-file | FileCheck %s

// A sum of small floats is carried in f32 and rounded once; its known start is a constant of f32.
// CHECK-LABEL: func.func @sum
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<4x6xbf16>) -> tensor<4x6xf32>
// CHECK: %[[Z:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[S:.*]] = stablehlo.reduce(%[[X]] init: %[[Z]]) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: stablehlo.convert %[[S]] : (tensor<4xf32>) -> tensor<4xbf16>
func.func @sum(%x: tensor<4x6xbf16>) -> tensor<4xbf16> {
  %z = stablehlo.constant dense<1.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xbf16>, tensor<bf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// What the function reads from outside, and its constants, are converted; integers keep their type.
// CHECK-LABEL: func.func @two
// CHECK-SAME: %[[SCALE:[a-z0-9]*]]: tensor<f8E5M2>
// CHECK: "stablehlo.reduce_window"
// CHECK: (%[[A:.*]]: tensor<f32>, %[[I:.*]]: tensor<i32>, %[[B:.*]]: tensor<f32>, %[[J:.*]]: tensor<i32>):
// CHECK: %[[W:.*]] = stablehlo.convert %[[SCALE]] : (tensor<f8E5M2>) -> tensor<f32>
// CHECK: %[[M:.*]] = stablehlo.multiply %[[B]], %[[W]] : tensor<f32>
// CHECK: %[[T:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK: stablehlo.add %{{.*}}, %[[T]] : tensor<f32>
// CHECK: stablehlo.add %[[I]], %[[J]] : tensor<i32>
// CHECK: (tensor<6xf32>, tensor<6xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
func.func @two(%scale: tensor<f8E5M2>, %x: tensor<6xf8E5M2>, %n: tensor<6xi32>, %z: tensor<f8E5M2>, %k: tensor<i32>) -> (tensor<5xf8E5M2>, tensor<5xi32>) {
  %0:2 = "stablehlo.reduce_window"(%x, %n, %z, %k) ({
  ^bb0(%a: tensor<f8E5M2>, %i: tensor<i32>, %b: tensor<f8E5M2>, %j: tensor<i32>):
    %m = stablehlo.multiply %b, %scale : tensor<f8E5M2>
    %s = stablehlo.add %a, %m : tensor<f8E5M2>
    %two = stablehlo.constant dense<2.0> : tensor<f8E5M2>
    %t = stablehlo.add %s, %two : tensor<f8E5M2>
    %c = stablehlo.add %i, %j : tensor<i32>
    stablehlo.return %t, %c : tensor<f8E5M2>, tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<6xf8E5M2>, tensor<6xi32>, tensor<f8E5M2>, tensor<i32>) -> (tensor<5xf8E5M2>, tensor<5xi32>)
  return %0#0, %0#1 : tensor<5xf8E5M2>, tensor<5xi32>
}

// -----

// Nothing is rounded in a maximum, and what the function converts itself stays as it is.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: tensor<4x6xf32>
// CHECK: return
func.func @kept(%x: tensor<4x6xbf16>, %z: tensor<bf16>) -> (tensor<4xbf16>, tensor<4xbf16>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %1 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    %r = stablehlo.reduce_precision %s, format = e5m2 : tensor<bf16>
    stablehlo.return %r : tensor<bf16>
  }) {dimensions = array<i64: 1>} : (tensor<4x6xbf16>, tensor<bf16>) -> tensor<4xbf16>
  return %0, %1 : tensor<4xbf16>, tensor<4xbf16>
}

// -----

// A function that computes in a wider type gets operands of that type.
// CHECK-LABEL: func.func @promoted
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<3xi8>) -> tensor<3xi32>
// CHECK: %[[U:.*]] = stablehlo.convert %arg2 : (tensor<2xi8>) -> tensor<2xi32>
// CHECK: "stablehlo.scatter"(%[[X]], %arg1, %[[U]])
// CHECK: (tensor<3xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<3xi32>
func.func @promoted(%x: tensor<3xi8>, %i: tensor<2x1xi32>, %u: tensor<2xi8>) -> tensor<3xi32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi8>, tensor<2x1xi32>, tensor<2xi8>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// Of quantized elements, stored integers are converted.
// CHECK-LABEL: func.func @quantized
// CHECK: %[[STORED:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:1>>) -> tensor<3xi8>
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[STORED]] : (tensor<3xi8>) -> tensor<3xi32>
// CHECK: stablehlo.bitcast_convert %[[WIDE]] : (tensor<3xi32>) -> tensor<3x!quant.uniform<i32:f32, 5.000000e-01:1>>
// CHECK: stablehlo.reduce
func.func @quantized(%x: tensor<3x!quant.uniform<i8:f32, 0.5:1>>, %z: tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i32:f32, 0.5:1>> {
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<!quant.uniform<i32:f32, 0.5:1>>, %b: tensor<!quant.uniform<i32:f32, 0.5:1>>):
    %s = stablehlo.add %a, %b : tensor<!quant.uniform<i32:f32, 0.5:1>>
    stablehlo.return %s : tensor<!quant.uniform<i32:f32, 0.5:1>>
  }) {dimensions = array<i64: 0>} : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i32:f32, 0.5:1>>
  return %0 : tensor<!quant.uniform<i32:f32, 0.5:1>>
}

// -----

// Collectives of one process.
// CHECK-LABEL: func.func @alone
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<3xf16>) -> tensor<3xf32>
// CHECK: "stablehlo.all_reduce"(%[[X]])
func.func @alone(%x: tensor<3xf16>) -> tensor<3xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<3xf16>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
