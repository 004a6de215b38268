// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// Functions keep their names, arguments and visibility; unsigned types become signless.

// CHECK-LABEL: func.func public @main
// CHECK-SAME: (%[[X:.*]]: tensor<4xi8>, %[[Y:.*]]: tensor<4xi8>) -> tensor<4xi8>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<4xi8>, tensor<4xi8>)
// CHECK: arith.divui
// CHECK-NOT: stablehlo
func.func public @main(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %r = stablehlo.divide %x, %y : tensor<4xui8>
  return %r : tensor<4xui8>
}
