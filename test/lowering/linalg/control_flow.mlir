// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[N:.+]]: tensor<i32>, %[[X:.+]]: tensor<4xf32>)
// CHECK: scf.while (%[[I:.+]] = %{{.*}}, %[[C:.+]] = %[[X]])
// CHECK: %[[LESS:.+]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK: scf.condition(%[[LESS]])
// CHECK: do
// CHECK: scf.yield
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %c, %c : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// Any index but 0 takes the last branch.
// CHECK-LABEL: func.func @choice
// CHECK-SAME: (%[[INDEX:.+]]: tensor<i32>, %[[A:.+]]: tensor<f32>, %[[B:.+]]: tensor<f32>)
// CHECK: %[[NUMBER:.+]] = tensor.extract %[[INDEX]][]
// CHECK: %[[IS_FIRST:.+]] = arith.cmpi eq, %[[NUMBER]], %c0_i32
// CHECK: scf.if %[[IS_FIRST]] -> (tensor<f32>)
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[B]]
func.func @choice(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
