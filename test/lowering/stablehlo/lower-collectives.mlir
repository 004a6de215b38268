// RUN: hlo-opt %s --lower-collectives --split-input-file --verify-diagnostics | FileCheck %s
// Two processes lend each other their arrays, compute, and wait until both have read.

module attributes {hlo.grid = array<i64: 2, 1>} {
// CHECK: hlo.meetings = [{channel = 0 : i64, members = [array<i64: 1, 0>, array<i64: 1, 0>], op = "stablehlo.all_gather"
// CHECK-SAME: sources = [array<i64: 0, 1>, array<i64: 0, 1>]}
// CHECK-LABEL: @main
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[WORDS:.*]]: tensor<9xi64>)
// CHECK: %[[PEERS:.*]]:2 = stablehlo.custom_call @hlo.borrow(%[[WORDS]], %[[X]]) {{.*}}meeting = 0
// CHECK: %[[ALL:.*]] = stablehlo.concatenate %[[PEERS]]#0, %[[PEERS]]#1, dim = 0
// CHECK: stablehlo.custom_call @hlo.release(%[[ALL]], %[[WORDS]], %[[X]]) {{.*}}meeting = 0
// CHECK: stablehlo.slice %[[WORDS]] [0:1]
// CHECK: stablehlo.convert {{.*}} -> tensor<ui32>
func.func public @main(%x: tensor<2xf32>) -> (tensor<4xf32>, tensor<ui32>) {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
    : (tensor<2xf32>) -> tensor<4xf32>
  %1 = stablehlo.replica_id : tensor<ui32>
  return %0, %1 : tensor<4xf32>, tensor<ui32>
}
}

// -----

module attributes {mhlo.num_replicas = 3 : i32} {
func.func public @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.all_gather' op C3: replica_groups must hold all 3 replica ids of a grid of 3 x 1 processes, found 2}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
    : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
}

// -----

// Joined reduce_scatters: the pieces are lent, not their concatenation.
module attributes {hlo.grid = array<i64: 2, 1>} {
// CHECK-LABEL: @pieces
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x5xf32>, %[[WORDS:.*]]: tensor<9xi64>)
// CHECK: @hlo.borrow(%[[WORDS]], %[[X]])
// CHECK: %[[A:.*]] = stablehlo.custom_call @hlo.release({{.*}}, %[[WORDS]], %[[X]])
// CHECK: @hlo.borrow(%[[WORDS]], %[[Y]])
// CHECK: %[[B:.*]] = stablehlo.custom_call @hlo.release({{.*}}, %[[WORDS]], %[[Y]])
// CHECK: %[[R:.*]] = stablehlo.concatenate %[[A]], %[[B]], dim = 1 : (tensor<1x3xf32>, tensor<1x5xf32>) -> tensor<1x8xf32>
// CHECK: return %[[R]]
func.func public @pieces(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<1x8xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  %1 = "stablehlo.reduce_scatter"(%0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64} : (tensor<2x8xf32>) -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}
}
