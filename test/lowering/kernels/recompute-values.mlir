// RUN: hlo-opt %s --compile-to=linalg | hlo-opt --recompute-values | FileCheck %s

// tanh is read by the first product and, four products later, at the end, where %h is read too: there it is computed again.
// CHECK-LABEL: func.func @main
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1
// CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[H]]
// CHECK: math.tanh
// CHECK: linalg.generic {{.*}} ins(%[[T]], %arg2
// CHECK: %[[E:.*]] = linalg.generic {{.*}}%arg5
// CHECK: %[[LAST:.*]] = linalg.generic {{.*}} ins(%[[E]], %arg1
// CHECK: %[[AGAIN:.*]] = linalg.generic {{.*}} ins(%[[H]]
// CHECK: math.tanh
// CHECK: linalg.generic {{.*}} ins(%[[LAST]], %[[AGAIN]], %[[H]]
func.func @main(%x: tensor<512x512xf32>, %a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>, %d: tensor<512x512xf32>, %e: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %h = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %t = stablehlo.tanh %h : tensor<512x512xf32>
  %0 = stablehlo.dot_general %t, %b, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = stablehlo.dot_general %1, %d, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %3 = stablehlo.dot_general %2, %e, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = stablehlo.dot_general %3, %a, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %4 = stablehlo.multiply %r, %t : tensor<512x512xf32>
  %5 = stablehlo.add %4, %h : tensor<512x512xf32>
  return %5 : tensor<512x512xf32>
}
