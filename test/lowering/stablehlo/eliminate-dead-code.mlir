// RUN: hlo-opt %s --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: @unused
// CHECK-NEXT: return
func.func @unused(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  %1 = stablehlo.cosine %0 : tensor<f32>
  return %x : tensor<f32>
}

// The second value is carried only for itself.
// CHECK-LABEL: @carried
// CHECK: stablehlo.while(%{{.*}} = %arg0) : tensor<i32>
// CHECK-NOT: stablehlo.sine
// CHECK: return
func.func @carried(%n: tensor<i32>, %x: tensor<f32>) -> tensor<i32> {
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<f32>
    cond {
      %c = stablehlo.constant dense<10> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %i : tensor<i32>
      %3 = stablehlo.sine %a : tensor<f32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<f32>
    }
  return %0#0 : tensor<i32>
}

// CHECK-LABEL: @effect
// CHECK: stablehlo.custom_call @print
func.func @effect(%x: tensor<f32>) {
  stablehlo.custom_call @print(%x) {has_side_effect = true} : (tensor<f32>) -> ()
  return
}
