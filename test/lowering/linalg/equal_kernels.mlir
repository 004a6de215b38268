// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// Equal kernels of loops are one function; of another size, another.

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = call @cholesky_0(%{{.*}}, %arg0)
// CHECK: call @cholesky_0(%{{.*}}, %[[A]])
// CHECK: call @cholesky_1(%{{.*}}, %arg1)
// CHECK-COUNT-2: func.func private @cholesky_
// CHECK-NOT: func.func private @cholesky_
func.func @main(%a: tensor<3x3xf32>, %b: tensor<4x4xf32>) -> (tensor<3x3xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %1 = stablehlo.cholesky %0, lower = true : tensor<3x3xf32>
  %2 = stablehlo.cholesky %b, lower = true : tensor<4x4xf32>
  return %1, %2 : tensor<3x3xf32>, tensor<4x4xf32>
}
