// RUN: hlo-opt %s --split-input-file --import-shardings | FileCheck %s

// The sizes into which all strings cut the devices are the mesh's axes.
// CHECK: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=4]>
// CHECK-LABEL: @constraints
// CHECK-SAME: %arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>}
// CHECK-SAME: %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1"}, {}]>}
// CHECK-SAME: -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1"}, {"axis_0"}]>})
func.func @constraints(%a: tensor<4x8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}, %b: tensor<4x8xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"}) -> (tensor<4x8xf32> {mhlo.sharding = "{devices=[4,2]0,4,1,5,2,6,3,7}"}) {
  // CHECK: sdy.sharding_constraint %arg0 <@mesh, [{"axis_0"}, {?}]>
  %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
  %1 = stablehlo.add %0, %b {mhlo.sharding = "{replicated}"} : tensor<4x8xf32>
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{}, {}]>
  %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{maximal device=3}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----
// CHECK: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2]>
// CHECK-LABEL: @partly_manual
// CHECK: sdy.manual_computation(%0) in_shardings=[<@mesh, [{"axis_0", ?}, {?}]>] out_shardings=[<@mesh, [{"axis_0", ?}, {?}]>] manual_axes={"axis_0"} (%arg1: tensor<2x8xf32>) {
// CHECK-NEXT: partition_id
// CHECK-NEXT: convert
// CHECK-NEXT: broadcast_in_dim
// CHECK-NEXT: multiply
// CHECK: sdy.return
// CHECK: } : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return
func.func @partly_manual(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %2 = stablehlo.partition_id : tensor<ui32>
  %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
  %5 = stablehlo.multiply %1, %4 : tensor<2x8xf32>
  %6 = stablehlo.custom_call @Sharding(%5) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %7 = stablehlo.custom_call @SPMDShardToFullShape(%6) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<2x8xf32>) -> tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// -----
// Devices in another order: the mesh's.
// CHECK: sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2], device_ids=[0, 3, 1, 2]>
// CHECK-LABEL: @order
// CHECK-SAME: [{"axis_0"}, {"axis_1"}]
// CHECK-SAME: [{"axis_1"}, {}]
func.func @order(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]0,3,1,2}"}, %b: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,1,2]0,1,3,2 last_tile_dim_replicate}"}) {
  return
}
