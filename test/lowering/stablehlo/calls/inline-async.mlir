// RUN: hlo-opt %s --inline-async --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @bodies
// CHECK-SAME: (%[[X:.*]]: tensor<4xf8E4M3FN>, %[[Y:.*]]: tensor<4xi32>)
// CHECK-NEXT: %[[GATHERED:.*]]:2 = "stablehlo.all_gather"(%[[X]], %[[Y]])
// CHECK-NEXT: %[[TWICE:.*]] = stablehlo.add %[[GATHERED]]#0, %[[GATHERED]]#0
// CHECK-NEXT: return %[[TWICE]], %[[GATHERED]]#1
func.func @bodies(%x: tensor<4xf8E4M3FN>, %y: tensor<4xi32>) -> (tensor<4xf8E4M3FN>, tensor<4xi32>) {
  %f = "stablehlo.async_start"(%x, %y) ({
  ^bb0(%a: tensor<4xf8E4M3FN>, %b: tensor<4xi32>):
    %0:2 = "stablehlo.all_gather"(%a, %b) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf8E4M3FN>, tensor<4xi32>) -> (tensor<4xf8E4M3FN>, tensor<4xi32>)
    stablehlo.return %0#0, %0#1 : tensor<4xf8E4M3FN>, tensor<4xi32>
  }) : (tensor<4xf8E4M3FN>, tensor<4xi32>) -> !stablehlo.future<tensor<4xf8E4M3FN>, tensor<4xi32>>
  %r:2 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf8E4M3FN>, tensor<4xi32>>) -> (tensor<4xf8E4M3FN>, tensor<4xi32>)
  %s = stablehlo.add %r#0, %r#0 : tensor<4xf8E4M3FN>
  return %s, %r#1 : tensor<4xf8E4M3FN>, tensor<4xi32>
}

// -----

func.func @kept(%x: tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>> {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %0 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  // expected-error@+1 {{'func.return' cannot take a future, only async_done can}}
  return %f : !stablehlo.future<tensor<4xf32>>
}
