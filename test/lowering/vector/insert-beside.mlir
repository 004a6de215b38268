// RUN: env HLO_CPU=avx2 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s

// A step that makes a row from another row of the array which a loop carries: the row is stored, and the array is written in place.

// CHECK-LABEL: func.func @next_row
// CHECK:         scf.while
// CHECK:         %[[ROW:.*]] = func.call @[[MAKE:.*]](%[[A:.*]], %{{.*}}) : (tensor<90x70xf32>, tensor<i32>) -> tensor<1x70xf32>
// CHECK:         func.call @[[PUT:.*]](%[[ROW]], %[[A]], %{{.*}}) : (tensor<1x70xf32>, tensor<90x70xf32>, tensor<i32>) -> tensor<90x70xf32>
// CHECK:       func.func private @[[PUT]](%{{.*}}: tensor<1x70xf32>, %{{.*}}: tensor<90x70xf32> {hlo.tied = 0 : i64}
func.func @next_row(%x: tensor<90x70xf32>) -> tensor<90x70xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<80> : tensor<i32>
  %r:2 = stablehlo.while(%n = %zero, %a = %x) : tensor<i32>, tensor<90x70xf32>
  cond {
    %c = stablehlo.compare LT, %n, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %m = stablehlo.add %n, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %a, %n, %zero, sizes = [1, 70] : (tensor<90x70xf32>, tensor<i32>, tensor<i32>) -> tensor<1x70xf32>
    %next = stablehlo.add %row, %row : tensor<1x70xf32>
    %b = stablehlo.dynamic_update_slice %a, %next, %m, %zero : (tensor<90x70xf32>, tensor<1x70xf32>, tensor<i32>, tensor<i32>) -> tensor<90x70xf32>
    stablehlo.return %m, %b : tensor<i32>, tensor<90x70xf32>
  }
  return %r#1 : tensor<90x70xf32>
}

// -----

// Elements that are replaced may be read while they are: one kernel.

// CHECK-LABEL: func.func @same_row
// CHECK:         %[[N:.*]] = func.call @add_0
// CHECK-NEXT:    func.call @[[SAME:.*]](%{{.*}}) : (tensor<90x70xf32>, tensor<i32>) -> tensor<90x70xf32>
// CHECK:       func.func private @[[SAME]](%{{.*}}: tensor<90x70xf32> {hlo.tied = 0 : i64}
func.func @same_row(%x: tensor<90x70xf32>) -> tensor<90x70xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<80> : tensor<i32>
  %r:2 = stablehlo.while(%n = %zero, %a = %x) : tensor<i32>, tensor<90x70xf32>
  cond {
    %c = stablehlo.compare LT, %n, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %m = stablehlo.add %n, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %a, %n, %zero, sizes = [1, 70] : (tensor<90x70xf32>, tensor<i32>, tensor<i32>) -> tensor<1x70xf32>
    %next = stablehlo.add %row, %row : tensor<1x70xf32>
    %b = stablehlo.dynamic_update_slice %a, %next, %n, %zero : (tensor<90x70xf32>, tensor<1x70xf32>, tensor<i32>, tensor<i32>) -> tensor<90x70xf32>
    stablehlo.return %m, %b : tensor<i32>, tensor<90x70xf32>
  }
  return %r#1 : tensor<90x70xf32>
}
