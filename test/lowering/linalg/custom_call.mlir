// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: call @my_solve_0
// CHECK-NOT: Sharding
// CHECK: func.func private @my_solve_0(tensor<4xi8>) -> tensor<4xf32>
// CHECK-SAME: hlo.backend_config = "fast"
// CHECK-SAME: hlo.custom_call = "my.solve"
// CHECK-SAME: hlo.operand_types = [tensor<4xui8>]
func.func @main(%a: tensor<4xui8>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @my.solve(%a) {backend_config = "fast"} : (tensor<4xui8>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @Sharding(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @expectation
// CHECK: call @check_expect_eq_0
// CHECK: func.func private @check_expect_eq_0(tensor<2xi32>, tensor<2xi32>)
// CHECK-SAME: hlo.custom_call = "check.expect_eq"
func.func @expectation(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  check.expect_eq %a, %b : tensor<2xi32>
  return
}
