// RUN: hlo-opt %s --multiply-steps-together --eliminate-dead-code | FileCheck %s

// What all steps read is multiplied in front of the loop, also from the last step to the first.
// CHECK-LABEL: @before
// CHECK: %[[ALL:.*]] = stablehlo.dot_general %{{.*}}, %arg1, contracting_dims = [2] x [0] {{.*}} -> tensor<5x4x3xf32>
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NOT: dot_general
// CHECK: stablehlo.dynamic_slice %[[ALL]], %{{.*}}, sizes = [1, 4, 3]
// CHECK-NOT: dot_general
// CHECK: return
func.func @before(%xs: tensor<5x4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %h = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %h) : tensor<i32>, tensor<4x3xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %last = stablehlo.constant dense<4> : tensor<i32>
      %at = stablehlo.subtract %last, %i : tensor<i32>
      %part = stablehlo.dynamic_slice %xs, %at, %zero, %zero, sizes = [1, 4, 8] : (tensor<5x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8xf32>
      %x = stablehlo.reshape %part : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
      %next = stablehlo.add %sum, %p : tensor<4x3xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<4x3xf32>
    }
  return %0#1 : tensor<4x3xf32>
}

// What steps write is multiplied behind the loop, which keeps the other operand: here the second one, whose products are by columns.
// CHECK-LABEL: @behind
// CHECK: %[[LOOP:.*]]:3 = stablehlo.while({{.*}}) : tensor<i32>, tensor<8xf32>, tensor<5x8xf32> cond
// CHECK: do {
// CHECK-NOT: dot_general
// CHECK: stablehlo.dynamic_update_slice {{.*}} (tensor<5x8xf32>, tensor<1x8xf32>
// CHECK: }
// CHECK: %[[ALL:.*]] = stablehlo.dot_general %arg1, %[[LOOP]]#2, contracting_dims = [1] x [1] {{.*}} -> tensor<3x5xf32>
// CHECK: stablehlo.transpose %[[ALL]], dims = [1, 0]
func.func @behind(%x: tensor<8xf32>, %w: tensor<3x8xf32>) -> tensor<5x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %room = stablehlo.constant dense<0.0> : tensor<5x3xf32>
  %0:3 = stablehlo.while(%i = %zero, %h = %x, %all = %room) : tensor<i32>, tensor<8xf32>, tensor<5x3xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %next = stablehlo.tanh %h : tensor<8xf32>
      %p = stablehlo.dot_general %w, %next, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3xf32>
      %row = stablehlo.reshape %p : (tensor<3xf32>) -> tensor<1x3xf32>
      %rows = stablehlo.dynamic_update_slice %all, %row, %i, %zero : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next, %rows : tensor<i32>, tensor<8xf32>, tensor<5x3xf32>
    }
  return %0#2 : tensor<5x3xf32>
}

// The loop has four steps: the last row stays what it was, and each step multiplies for itself.
// CHECK-LABEL: @not_all
// CHECK: do {
// CHECK: stablehlo.dot_general
// CHECK: }
// CHECK-NOT: dot_general
func.func @not_all(%x: tensor<8xf32>, %w: tensor<3x8xf32>) -> tensor<5x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %room = stablehlo.constant dense<1.0> : tensor<5x3xf32>
  %0:3 = stablehlo.while(%i = %zero, %h = %x, %all = %room) : tensor<i32>, tensor<8xf32>, tensor<5x3xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %next = stablehlo.tanh %h : tensor<8xf32>
      %p = stablehlo.dot_general %w, %next, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3xf32>
      %row = stablehlo.reshape %p : (tensor<3xf32>) -> tensor<1x3xf32>
      %rows = stablehlo.dynamic_update_slice %all, %row, %i, %zero : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %next, %rows : tensor<i32>, tensor<8xf32>, tensor<5x3xf32>
    }
  return %0#2 : tensor<5x3xf32>
}
