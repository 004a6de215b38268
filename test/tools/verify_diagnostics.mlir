// RUN: hlo-opt %s --split-input-file --verify-diagnostics
// RUN: not hlo-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: verify_diagnostics.mlir:8:
// CHECK-SAME: error: 'stablehlo.add' op
func.func @one_error(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.add' op}}
  %r = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK: verify_diagnostics.mlir:20:
// CHECK: verify_diagnostics.mlir:22:
func.func @every_error(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // CHECK-NOT: verify_diagnostics.mlir:24:

  // expected-error@below {{'stablehlo.add' op}}
  %a = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  // expected-error-re@+1 {{'stablehlo.{{(add|multiply)}}' op}}
  %b = "stablehlo.multiply"(%y, %x) : (tensor<5xf32>, tensor<4xf32>) -> tensor<4xf32>

  return
}
