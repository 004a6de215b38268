// RUN: hlo-opt %s --legalize-upstream --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @sizes
// CHECK: stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: stablehlo.convert %{{.*}} : (tensor<i32>) -> tensor<i64>
// CHECK: stablehlo.multiply %{{.*}} : tensor<i64>
// CHECK: stablehlo.dynamic_reshape %arg0, %{{.*}} : (tensor<?x3xf32>, tensor<1xi64>) -> tensor<?xf32>
// CHECK-NOT: tensor.dim
func.func @sizes(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %d = tensor.dim %x, %c0 : tensor<?x3xf32>
  %n = arith.muli %d, %c3 : index
  %s = tensor.from_elements %n : tensor<1xindex>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<?x3xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @assuming
// CHECK: stablehlo.custom_call @shape_assertion
// CHECK-SAME: error_message = "shape.cstr_eq: shapes differ"
// CHECK: stablehlo.add %arg0, %arg1
// CHECK-NOT: shape.assuming
func.func @assuming(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %s = shape.shape_of %x : tensor<?xf32> -> tensor<1xindex>
  %t = shape.shape_of %y : tensor<?xf32> -> tensor<1xindex>
  %w = shape.cstr_eq %s, %t : tensor<1xindex>, tensor<1xindex>
  %r = shape.assuming %w -> (tensor<?xf32>) {
    %z = stablehlo.add %x, %y : tensor<?xf32>
    shape.assuming_yield %z : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @refused(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{'tensor.expand_shape' is not supported in a StableHLO program; supported: tensor.cast, tensor.dim}}
  %r = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
