// RUN: hlo-opt %s --hoist-loop-invariants | FileCheck %s

// The factor is that of each step: it is computed once, and the matrix is read from outside.
// CHECK-LABEL: @factor
// CHECK: %[[L:.*]] = stablehlo.cholesky %arg0
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NOT: stablehlo.cholesky
// CHECK: "stablehlo.triangular_solve"(%[[L]]
func.func @factor(%a: tensor<4x4xf32>, %b: tensor<4x2xf32>, %n: tensor<i32>) -> (tensor<4x2xf32>, tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %m = %a, %x = %b) : tensor<i32>, tensor<4x4xf32>, tensor<4x2xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.cholesky %m, lower = true : tensor<4x4xf32>
      %3 = "stablehlo.triangular_solve"(%2, %x) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
      stablehlo.return %1, %m, %3 : tensor<i32>, tensor<4x4xf32>, tensor<4x2xf32>
    }
  // CHECK: return %{{.*}}#2, %arg0
  return %0#2, %0#1 : tensor<4x2xf32>, tensor<4x4xf32>
}

// What is made of scalars alone costs no more in the loop than an array that is read; it goes along with what reads it.
// CHECK-LABEL: @generated
// CHECK-NOT: stablehlo.compare
// CHECK: stablehlo.while
// CHECK: cond {
// CHECK: } do {
// CHECK: stablehlo.iota
// CHECK: stablehlo.select
func.func @generated(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %0 = stablehlo.while(%v = %x) : tensor<8xf32>
    cond {
      %1 = stablehlo.slice %v [0:1] : (tensor<8xf32>) -> tensor<1xf32>
      %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
      %c = stablehlo.constant dense<9.0> : tensor<f32>
      %3 = stablehlo.compare LT, %2, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %i = stablehlo.iota dim = 0 : tensor<8xi32>
      %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %1 = stablehlo.compare LT, %i, %m : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %2 = stablehlo.add %v, %v : tensor<8xf32>
      %3 = stablehlo.select %1, %2, %v : tensor<8xi1>, tensor<8xf32>
      stablehlo.return %3 : tensor<8xf32>
    }
  return %0 : tensor<8xf32>
}

// Elementwise ops are moved where their results take no more memory than what they read, with what they read.
// CHECK-LABEL: @elementwise
// CHECK: %[[H:.*]] = stablehlo.broadcast_in_dim
// CHECK: %[[P:.*]] = stablehlo.multiply %arg1, %[[H]]
// CHECK: %[[E:.*]] = stablehlo.exponential %[[P]]
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: stablehlo.convert
// CHECK: stablehlo.add %{{.*}}, %[[E]]
func.func @elementwise(%x: tensor<8xf64>, %w: tensor<8xf64>, %h: tensor<8xf32>, %s: tensor<f64>) -> tensor<8xf64> {
  %0 = stablehlo.while(%v = %x) : tensor<8xf64>
    cond {
      %1 = stablehlo.slice %v [0:1] : (tensor<8xf64>) -> tensor<1xf64>
      %2 = stablehlo.reshape %1 : (tensor<1xf64>) -> tensor<f64>
      %3 = stablehlo.compare LT, %2, %s : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %m = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f64>) -> tensor<8xf64>
      %1 = stablehlo.multiply %w, %m : tensor<8xf64>
      %2 = stablehlo.exponential %1 : tensor<8xf64>
      %wide = stablehlo.convert %h : (tensor<8xf32>) -> tensor<8xf64>
      %3 = stablehlo.add %v, %2 : tensor<8xf64>
      %4 = stablehlo.add %3, %wide : tensor<8xf64>
      stablehlo.return %4 : tensor<8xf64>
    }
  return %0 : tensor<8xf64>
}

// Out of two loops; effects, and barriers, stay where they are.
// CHECK-LABEL: @nested
// CHECK: stablehlo.dot
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: stablehlo.optimization_barrier
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: stablehlo.custom_call @effect
func.func @nested(%a: tensor<4xf32>, %n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %n) : tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %b = stablehlo.optimization_barrier %a : tensor<4xf32>
      %1 = stablehlo.while(%j = %i) : tensor<i32>
        cond {
          %2 = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %2 : tensor<i1>
        } do {
          %product = stablehlo.dot %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
          %2 = stablehlo.convert %product : (tensor<f32>) -> tensor<i32>
          %3 = stablehlo.custom_call @effect(%b) {has_side_effect = true} : (tensor<4xf32>) -> tensor<i32>
          %4 = stablehlo.add %j, %2 : tensor<i32>
          %5 = stablehlo.add %4, %3 : tensor<i32>
          stablehlo.return %5 : tensor<i32>
        }
      stablehlo.return %1 : tensor<i32>
    }
  return %0 : tensor<i32>
}

// What may never end, or fail, is moved where the loop is known to take a step: a counter begins below a limit.
// CHECK-LABEL: @reached
// CHECK: stablehlo.while
// CHECK: stablehlo.sine
// CHECK: custom_call
// CHECK: stablehlo.while
// CHECK: do {
// CHECK-NOT: stablehlo.while
// CHECK: return
func.func @reached(%b: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %limit = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.while(%k = %x) : tensor<4xf32>
        cond {
          stablehlo.return %b : tensor<i1>
        } do {
          %2 = stablehlo.sine %k : tensor<4xf32>
          stablehlo.return %2 : tensor<4xf32>
        }
      %3 = stablehlo.custom_call @outside(%1) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = stablehlo.add %y, %3 : tensor<4xf32>
      %5 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %5, %4 : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}

// CHECK-LABEL: @perhaps
// CHECK-NOT: custom_call
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: stablehlo.while
// CHECK: stablehlo.sine
// CHECK: custom_call
func.func @perhaps(%n: tensor<i32>, %b: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.while(%k = %x) : tensor<4xf32>
        cond {
          stablehlo.return %b : tensor<i1>
        } do {
          %2 = stablehlo.sine %k : tensor<4xf32>
          stablehlo.return %2 : tensor<4xf32>
        }
      %3 = stablehlo.custom_call @outside(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = stablehlo.add %1, %3 : tensor<4xf32>
      %6 = stablehlo.add %y, %4 : tensor<4xf32>
      %5 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %5, %6 : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
