// RUN: hlo-opt %s --lower-collectives --split-input-file --verify-diagnostics | FileCheck %s
// Two processes lend each other their arrays, compute, and wait until both have read; or each puts its part into the results of both.

module attributes {hlo.grid = array<i64: 2, 1>} {
// CHECK: hlo.meetings = [{channel = 0 : i64, exposed = [array<i64: 1, 16, 16>], location = "{{[^"]*}}", members = [array<i64: 1, 0>, array<i64: 1, 0>], op = "stablehlo.all_gather"
// CHECK-SAME: sources = [array<i64: 0, 1>, array<i64: 0, 1>]}
// CHECK-SAME: exposed = [array<i64: 0, 32, 16>]
// CHECK-LABEL: @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x2xf32>, %[[WORDS:.*]]: tensor<14xi64>)
// CHECK: %[[PEERS:.*]]:2 = stablehlo.custom_call @hlo.borrow(%[[WORDS]], %[[X]]) {{.*}}meeting = 0 : i64, step = 0 : i64
// CHECK: %[[ALL:.*]] = stablehlo.concatenate %[[PEERS]]#0, %[[PEERS]]#1, dim = 1
// CHECK: stablehlo.custom_call @hlo.release(%[[ALL]], %[[WORDS]], %[[X]]) {{.*}}meeting = 0
// CHECK: %[[FLAT:.*]] = stablehlo.reshape %[[X]]
// CHECK: stablehlo.custom_call @hlo.spread(%[[WORDS]], %[[FLAT]]) {{.*}}meeting = 1 : i64, part = 16 : i64, step = 0 : i64, total = 32 : i64
// CHECK-SAME: -> tensor<8xf32>
// CHECK: stablehlo.slice %[[WORDS]] [0:1]
// CHECK: stablehlo.convert {{.*}} -> tensor<ui32>
func.func public @main(%x: tensor<2x2xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>, tensor<ui32>) {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
    : (tensor<2x2xf32>) -> tensor<2x4xf32>
  %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
    : (tensor<2x2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.replica_id : tensor<ui32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<4x2xf32>, tensor<ui32>
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
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x5xf32>, %[[WORDS:.*]]: tensor<10xi64>)
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

// -----

// Of an exposed array a process reads 8 of 16 bytes: in two rows, then in one.

module attributes {hlo.grid = array<i64: 2, 1>} {
// CHECK: hlo.meetings = [{channel = 0 : i64, exposed = [array<i64: 2, 16, 8>], {{.*}}"stablehlo.all_to_all"
// CHECK-SAME: exposed = [array<i64: 1, 16, 8>], {{.*}}"stablehlo.reduce_scatter"
func.func public @main(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> (tensor<4x2xf32>, tensor<2xf32>) {
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %1 = "stablehlo.reduce_scatter"(%y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<2xf32>
}
}

// -----

// Three processes reduce 20,000 elements in parts of 6,667, the last of which begins early, and put them into the results of all.

module attributes {hlo.grid = array<i64: 3, 1>} {
// CHECK: exposed = [array<i64: 1, 80000, 26668>, array<i64: 0, 80000, 26668>]
// CHECK: @hlo.borrow({{.*}}meeting = 0 : i64, step = 0 : i64
// CHECK: @hlo.spread({{.*}}meeting = 0 : i64, part = 26668 : i64, step = 1 : i64, total = 80000 : i64
func.func public @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<20000xf32>) -> tensor<20000xf32>
  return %0 : tensor<20000xf32>
}
}
