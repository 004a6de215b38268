// RUN: hlo-opt %s --inline-async --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @bodies
// CHECK-SAME: (%[[X:.*]]: tensor<4xf8E4M3FN>, %[[Y:.*]]: tensor<4xi32>)
// CHECK-NEXT: %[[NEGATED:.*]] = stablehlo.negate %[[X]]
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[Y]], %[[Y]]
// CHECK-NEXT: %[[TWICE:.*]] = stablehlo.add %[[NEGATED]], %[[NEGATED]]
// CHECK-NEXT: return %[[TWICE]], %[[SUM]]
func.func @bodies(%x: tensor<4xf8E4M3FN>, %y: tensor<4xi32>) -> (tensor<4xf8E4M3FN>, tensor<4xi32>) {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf8E4M3FN>):
    %0 = stablehlo.negate %a : tensor<4xf8E4M3FN>
    %1 = stablehlo.add %y, %y : tensor<4xi32>
    stablehlo.return %0, %1 : tensor<4xf8E4M3FN>, tensor<4xi32>
  }) : (tensor<4xf8E4M3FN>) -> !stablehlo.future<tensor<4xf8E4M3FN>, tensor<4xi32>>
  %r:2 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf8E4M3FN>, tensor<4xi32>>) -> (tensor<4xf8E4M3FN>, tensor<4xi32>)
  %s = stablehlo.add %r#0, %r#0 : tensor<4xf8E4M3FN>
  return %s, %r#1 : tensor<4xf8E4M3FN>, tensor<4xi32>
}

// -----

func.func @kept(%x: tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>> {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  // expected-error@+1 {{'func.return' cannot take a future, only async_done can}}
  return %f : !stablehlo.future<tensor<4xf32>>
}
