// RUN: hlo-opt %s --decompose | FileCheck %s

// CHECK-LABEL: @dot
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
func.func @dot(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @broadcast
// CHECK-NEXT: stablehlo.broadcast_in_dim %arg0, dims = [1]
func.func @broadcast(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast %x, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @einsum
// CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK-NEXT: stablehlo.transpose %[[D]], dims = [0, 2, 1]
func.func @einsum(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> tensor<2x5x3xf32> {
  %0 = stablehlo.einsum %x, %y, config = "bik,bkj->bji" : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// CHECK-LABEL: @tuples
// CHECK-NEXT: return %arg1
func.func @tuples(%x: tensor<f32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<f32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}

// CHECK-LABEL: @batch_norm
// CHECK-COUNT-2: stablehlo.reduce
// CHECK: stablehlo.sqrt
// CHECK-NOT: stablehlo.batch_norm
func.func @batch_norm(%x: tensor<4x2xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>) -> tensor<4x2xf32> {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<4x2xf32>
}

// CHECK-LABEL: @select
// CHECK-NEXT: "stablehlo.gather"
func.func @select(%x: tensor<5x6xf32>, %i: tensor<3xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<5x6xf32>, tensor<3xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// CHECK-LABEL: @rng
// CHECK-NOT: stablehlo.rng
// CHECK: return
func.func @rng(%a: tensor<f32>, %b: tensor<f32>) -> tensor<8xf32> {
  %shape = stablehlo.constant dense<8> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
