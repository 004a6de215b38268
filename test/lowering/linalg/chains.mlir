// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s
// RUN: hlo-opt %s --stablehlo-to-linalg=target=sm_80 | FileCheck %s --check-prefix=GPU

// A chain of elementwise ops is one linalg.generic; a number for all elements is read as such, a constant is written in it. On a GPU each op is one.

// GPU-LABEL: func.func @chain
// GPU-COUNT-4: linalg.generic

// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic {{.*}} ins(%arg1, %arg0 : tensor<f32>, tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[C:.*]] = arith.constant 3.0{{0*}}e+00 : f32
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[X]], %[[S]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[A]], %[[C]] : f32
// CHECK-NEXT: %[[D:.*]] = math.tanh %[[B]] : f32
// CHECK-NEXT: linalg.yield %[[D]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<4xf32>, %t: tensor<f32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<3.0> : tensor<4xf32>
  %s = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.add %x, %s : tensor<4xf32>
  %1 = stablehlo.multiply %0, %c : tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A value that others read ends a chain; one that only ops of the chain read, if twice, does not.

// CHECK-LABEL: func.func @two_results
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<4xf32>, tensor<4xf32>)
// CHECK: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: linalg.yield
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[R]], %arg1 : tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[T:.*]] = arith.subf
// CHECK-NEXT: arith.mulf %[[T]], %[[T]]
// CHECK-NEXT: linalg.yield
// CHECK: return %[[Q]], %[[R]]
func.func @two_results(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  %1 = stablehlo.multiply %0, %x : tensor<4xf32>
  %2 = stablehlo.subtract %1, %y : tensor<4xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<4xf32>
  return %3, %1 : tensor<4xf32>, tensor<4xf32>
}

// Another shape ends one, too.

// CHECK-LABEL: func.func @sum
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @sum(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %1 = stablehlo.abs %0 : tensor<4xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.sqrt %2 : tensor<f32>
  %4 = stablehlo.negate %3 : tensor<f32>
  return %4 : tensor<f32>
}
