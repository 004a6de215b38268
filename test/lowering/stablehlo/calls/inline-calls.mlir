// RUN: hlo-opt %s --inline-calls | FileCheck %s

// CHECK-LABEL: func.func public @main
// CHECK: stablehlo.add %arg0, %arg0
// CHECK: stablehlo.while
// CHECK: stablehlo.add
// CHECK-NOT: call @
// CHECK-NOT: func.func private
func.func public @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>
  %1:2 = stablehlo.while(%a = %0, %q = %p) : tensor<f32>, tensor<i1>
    cond {
      stablehlo.return %q : tensor<i1>
    } do {
      %2 = func.call @twice(%a) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %2, %q : tensor<f32>, tensor<i1>
    }
  %3 = stablehlo.composite "my.twice" %1#0 {decomposition = @twice} : (tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @sum(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @sum(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %y : tensor<f32>
  return %0 : tensor<f32>
}
