// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// A function of a hundred ops is one linalg.generic, computed in f64 and rounded once.

// CHECK-LABEL: func.func @main
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
// CHECK: arith.extf %[[X]] : f32 to f64
// CHECK: math.log %{{.*}} : f64
// CHECK: %[[Y:.+]] = arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: linalg.yield %[[Y]] : f32
// CHECK-NOT: linalg.generic
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Equal elements are a part of the function: of the third derivative of lgamma no other one is left.

// CHECK-LABEL: func.func @constant_order
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xf64>)
// CHECK-NOT: math.log
// CHECK-NOT: math.exp
// CHECK: math.powf %{{.*}}, %{{.*}} : f64
// CHECK-NOT: math.log
// CHECK-NOT: math.exp
// CHECK: linalg.yield
func.func @constant_order(%x: tensor<4xf64>) -> tensor<4xf64> {
  %n = stablehlo.constant dense<2.0> : tensor<4xf64>
  %0 = chlo.polygamma %n, %x : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// erf has a body of its own in f64 only.

// CHECK-LABEL: func.func @erf
// CHECK: math.erf %{{.*}} : f32
// CHECK: math.exp %{{.*}} : f64
func.func @erf(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.erf %y : tensor<4xf64> -> tensor<4xf64>
  return %0, %1 : tensor<4xf32>, tensor<4xf64>
}

// A second one of the same types is a copy of the first one, with its own operand.

// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.+]] = linalg.generic {{.*}} ins(%arg0 : tensor<4xf64>)
// CHECK-COUNT-1: math.log
// CHECK: %[[B:.+]] = linalg.generic {{.*}} ins(%[[A]] : tensor<4xf64>)
// CHECK-COUNT-1: math.log
// CHECK: %[[C:.+]] = linalg.generic {{.*}} ins(%arg1 : tensor<5xf64>)
// CHECK-COUNT-1: math.log
// CHECK: return %[[B]], %[[C]]
func.func @twice(%x: tensor<4xf64>, %y: tensor<5xf64>) -> (tensor<4xf64>, tensor<5xf64>) {
  %0 = chlo.erf_inv %x : tensor<4xf64> -> tensor<4xf64>
  %1 = chlo.erf_inv %0 : tensor<4xf64> -> tensor<4xf64>
  %2 = chlo.erf_inv %y : tensor<5xf64> -> tensor<5xf64>
  return %1, %2 : tensor<4xf64>, tensor<5xf64>
}
