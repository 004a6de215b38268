// RUN: hlo-opt %s --split-input-file --propagate-shardings --partition --verify-diagnostics | FileCheck %s

// A maximal sharding: one process calls the host's function with whole arrays, the others get the results.
// CHECK-LABEL: @main
// CHECK: %[[WHOLE:.*]] = "stablehlo.all_gather"(%arg0)
// CHECK: %[[HERE:.*]] = stablehlo.compare EQ, %{{.*}}, %{{.*}}, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
// CHECK: %[[RESULT:.*]] = "stablehlo.if"(%[[HERE]])
// CHECK: stablehlo.custom_call @f(%[[WHOLE]])
// CHECK-NOT: maximal
// CHECK: }, {
// CHECK-NOT: custom_call
// CHECK: "stablehlo.collective_broadcast"(%[[RESULT]])
// CHECK-SAME{LITERAL}: replica_groups = dense<[[1, 0]]>
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @f(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// CHECK-LABEL: @without_results
// CHECK: "stablehlo.if"
// CHECK: stablehlo.custom_call @f
// CHECK-NOT: collective_broadcast
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @without_results(%a: tensor<4xf32>) {
  stablehlo.custom_call @f(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<4xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
// expected-error@+1 {{a sharding on one device (of a mesh without axes) is supported for custom calls and other computations only}}
func.func @arguments(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{there are 2 devices, found the number 5}}
sdy.mesh @one = <[], device_ids=[5]>
func.func @no_such_device(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
