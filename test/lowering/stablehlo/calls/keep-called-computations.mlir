// RUN: hlo-opt %s --keep-called-computations --inline-calls --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func public @main
// CHECK: stablehlo.custom_call @apply
// CHECK-NOT: called_computations
// CHECK-SAME: hlo.called_programs = {{\[\[}}"g", "module {{.*}}func.func public @g({{.*}}call @h({{.*}}func.func private @h(
// CHECK-NOT: unrelated
// CHECK-NOT: func.func private @g
func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @apply(%x) {called_computations = [@g]} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func private @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @h(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func private @h(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func private @unrelated(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
