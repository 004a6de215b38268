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
