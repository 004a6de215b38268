// RUN: hlo-opt %s --split-input-file --propagate-shardings | FileCheck %s

// A contraction passes the axis of its rows to the result, the contracted axis to the other operand; a reshape keeps the major factor.
// CHECK-LABEL: @contraction
// CHECK-SAME: %arg1: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}
// CHECK-SAME: -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @contraction(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x6xf32>) -> tensor<24xf32> {
  // CHECK: dot_general {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  // CHECK: reshape {{.*}}[<@mesh, [{"x"}]>]
  %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// -----
// A reshape that splits a dimension cuts its axis.
// CHECK-LABEL: @split
sdy.mesh @mesh = <["x"=4]>
func.func @split(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2x4xf32> {
  // CHECK: reshape {{.*}}[<@mesh, [{"x":(1)2}, {"x":(2)2}]>]
  %0 = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----
// Of two shardings in conflict, that of smaller priority number wins; without priorities the first operand's.
// CHECK-LABEL: @conflict
// CHECK: add {{.*}}[<@mesh, [{"x"}, {}]>]
// CHECK: add {{.*}}[<@mesh, [{"y"}, {}]>]
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @conflict(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
                    %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {}]>}, %d: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  %1 = stablehlo.add %c, %d : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----
// An explicitly replicated axis is not given to an open dimension, nor is anything to a closed one.
// CHECK-LABEL: @closed
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @closed(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
                  %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"x"}>}) -> tensor<8x8xf32> {
  %0 = stablehlo.clamp %a, %b, %c : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// Groups share a sharding; a barrier lets it pass one way only.
// CHECK-LABEL: @groups
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK-SAME: %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
sdy.mesh @mesh = <["x"=4]>
func.func @groups(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %a group_id=1 : tensor<8xf32>
  sdy.sharding_group %b group_id=1 : tensor<8xf32>
  // CHECK: propagation_barrier %arg2 allowed_direction=FORWARD :
  %0 = sdy.propagation_barrier %c allowed_direction=FORWARD : tensor<8xf32>
  // CHECK: propagation_barrier %arg1 allowed_direction=FORWARD {sdy.sharding
  %1 = sdy.propagation_barrier %b allowed_direction=FORWARD : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----
// What a loop carries has one sharding, inside and outside; each reader has a constant of its own.
// CHECK-LABEL: @loop
sdy.mesh @mesh = <["x"=4]>
func.func @loop(%n: tensor<i32>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0
  // CHECK: constant dense<1.0
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  // CHECK: while{{.*}}attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
  %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<8xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      // CHECK: stablehlo.add {{.*}}[<@mesh, [{"x"}]>]
      %2 = stablehlo.add %x, %c : tensor<8xf32>
      stablehlo.return %i, %2 : tensor<i32>, tensor<8xf32>
    }
  %3 = sdy.sharding_constraint %c <@mesh, [{}]> : tensor<8xf32>
  return %0#1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----
// Axes that are not manual pass into the body of a manual computation and out of it.
// CHECK-LABEL: @manual
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @manual(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x4xf32> {
  // CHECK: in_shardings=[<@mesh, [{"y"}, {"x"}]>] out_shardings=[<@mesh, [{"y"}, {"x"}]>] manual_axes={"x"}
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{?}, {"x", ?}]>] out_shardings=[<@mesh, [{?}, {"x", ?}]>] manual_axes={"x"} (%b: tensor<8x2xf32>) {
    // CHECK: stablehlo.sine %arg1 {{.*}}[<@mesh, [{"y"}, {}]>]
    %1 = stablehlo.sine %b : tensor<8x2xf32>
    sdy.return %1 : tensor<8x2xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----
// Two meshes for the same devices, whose axes cut them in one way.
// CHECK-LABEL: @meshes
// CHECK: stablehlo.add {{.*}}[<@flat, [{"d":(1)2}, {"d":(2)4}]>]
sdy.mesh @flat = <["d"=8]>
sdy.mesh @grid = <["x"=2, "y"=4]>
func.func @meshes(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@flat, [{"d":(1)2}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Fully sharded weights: the batch reaches the product before the rows of the weights do, and before the bias that is
// added to each row.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: @batch_first
// CHECK: stablehlo.dot_general %arg0, %arg1
// CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
// CHECK: stablehlo.add
// CHECK-SAME: #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
func.func @batch_first(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                       %w: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                       %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8x6xf32> {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %2 = stablehlo.add %1, %0 : tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}
