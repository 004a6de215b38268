// RUN: hlo-opt %s --split-input-file --partition | FileCheck %s

// CHECK: mhlo.num_partitions = 4 : i32
// CHECK-LABEL: @contraction
// CHECK-SAME: %arg0: tensor<4x2xf32> {hlo.global_type = tensor<4x8xf32>, hlo.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}
sdy.mesh @mesh = <["x"=4]>
func.func @contraction(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x6xf32> {
  // CHECK-NEXT: dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  // CHECK-NEXT: "stablehlo.all_reduce"(%0)
  // CHECK: stablehlo.add
  // CHECK: channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
  // CHECK-SAME: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----
// Partial results that are wanted in parts are scattered.
// CHECK-LABEL: @scattered
// CHECK: reduce_scatter
// CHECK: scatter_dimension = 0 : i64
// CHECK-NOT: all_reduce
sdy.mesh @mesh = <["x"=4]>
func.func @scattered(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// From dimension to dimension by all_to_all; to fewer processes' worth of copies by all_gather; other processes by collective_permute; more axes by a slice.
// CHECK-LABEL: @reshard
// CHECK: "stablehlo.all_to_all"(%arg0) {{.*}}concat_dimension = 0 {{.*}}split_dimension = 1
// CHECK: "stablehlo.collective_permute"(%arg0) {{.*}}source_target_pairs = dense<{{\[\[}}0, 0], [1, 2], [2, 1], [3, 3]]>
// CHECK: "stablehlo.all_gather"(%arg0) {{.*}}replica_groups = dense<{{\[\[}}0, 1], [2, 3]]>
// CHECK: dynamic_slice %arg1, {{.*}} sizes = [2, 8]
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @reshard(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  return %a, %a, %a, %b : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----
// Uneven parts: 7 over 4 are parts of 2; what pads the last one is masked before it is summed.
// CHECK-LABEL: @uneven
// CHECK-SAME: %arg0: tensor<2xf32> {hlo.global_type = tensor<7xf32>
// CHECK: stablehlo.compare LT
// CHECK: stablehlo.select
// CHECK: stablehlo.reduce
// CHECK: all_reduce
sdy.mesh @mesh = <["x"=4]>
func.func @uneven(%a: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
// What starts a reduction counts once.
// CHECK-LABEL: @start
// CHECK: dense<[1, 0]> : tensor<2xi32>
// CHECK: select {{.*}}, %arg1, {{.*}} : tensor<i1>, tensor<f32>
sdy.mesh @mesh = <["x"=2]>
func.func @start(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %s: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
// The body of a manual computation is a program for each process already.
// CHECK-LABEL: @manual
// CHECK-NEXT: "stablehlo.all_reduce"(%arg0)
// CHECK-NOT: sdy.manual_computation
sdy.mesh @mesh = <["x"=2]>
func.func @manual(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = "stablehlo.all_reduce"(%b) ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %2 = stablehlo.add %c, %d : tensor<f32>
      %3 = sdy.sharding_constraint %2 <@mesh, []> : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
// An op without a rule for its operands to be cut is computed whole, on every process.
// CHECK-LABEL: @without_rule
// CHECK: all_gather
// CHECK: rng_bit_generator {{.*}} -> (tensor<2xui64>, tensor<8xui32>)
// CHECK: dynamic_slice {{.*}} sizes = [4]
sdy.mesh @mesh = <["x"=2]>
func.func @without_rule(%s: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}

// -----
// A bitcast that makes a dimension has no rule.
// CHECK-LABEL: @bitcast
// CHECK: bitcast_convert %arg0 : (tensor<i64>) -> tensor<2xi32>
// CHECK: dynamic_slice {{.*}} sizes = [1]
sdy.mesh @mesh = <["x"=2]>
func.func @bitcast(%a: tensor<i64>) -> (tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.bitcast_convert %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<i64>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----
// A convolution along a sharded dimension: neighbours lend each other the edges of their parts.
// CHECK-LABEL: @halo
// CHECK: slice %arg0 [0:1, 3:4, 0:3]
// CHECK: "stablehlo.collective_permute"{{.*}}dense<{{\[\[}}0, 1], [1, 2], [2, 3]]>
// CHECK: slice %arg0 [0:1, 0:1, 0:3]
// CHECK: "stablehlo.collective_permute"{{.*}}dense<{{\[\[}}1, 0], [2, 1], [3, 2]]>
// CHECK: concatenate {{.*}} -> tensor<1x6x3xf32>
// CHECK: convolution{{.*}}pad = {{\[\[}}0, 0]]{{.*}}(tensor<1x6x3xf32>, tensor<3x3x5xf32>) -> tensor<1x4x5xf32>
sdy.mesh @mesh = <["x"=4]>
func.func @halo(%a: tensor<1x16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %w: tensor<3x3x5xf32>) -> (tensor<1x16x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x16x3xf32>, tensor<3x3x5xf32>) -> tensor<1x16x5xf32>
  return %0 : tensor<1x16x5xf32>
}

// -----
// An array without elements is not sent.
// CHECK-LABEL: @empty
// CHECK-NOT: all_gather
// CHECK: reshape %arg0 : (tensor<0x2xf32>) -> tensor<0x4xf32>
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @empty(%a: tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  return %a : tensor<0x4xf32>
}
