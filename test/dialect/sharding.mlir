// RUN: hlo-opt %s | FileCheck %s
// RUN: hlo-opt %s | hlo-opt | FileCheck %s
// RUN: hlo-opt %s --mlir-print-op-generic | hlo-opt | FileCheck %s

// Shardy's ops are read and printed in upstream's short forms.
// CHECK: sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK: sdy.mesh @turned = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]> {stablehlo.mesh = {axes = []}}
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @turned = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]> {stablehlo.mesh = {axes = []}}

// CHECK: func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}p1]>})
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}p1]>}) -> (tensor<4x8xf32>) {
  // CHECK: sdy.sharding_group %arg0 group_id=3 : tensor<4x8xf32>
  sdy.sharding_group %a group_id=3 : tensor<4x8xf32>
  // CHECK: %0 = sdy.sharding_constraint %arg0 <@mesh, [{"y":(1)2}, {?}], replicated={"x"}> : tensor<4x8xf32>
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(1)2}, {?}], replicated={"x"}> : tensor<4x8xf32>
  // CHECK: %1 = sdy.reshard %0 <@mesh, [{}, {}], unreduced={"y"}> : tensor<4x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}], unreduced={"y"}> : tensor<4x8xf32>
  // CHECK: %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<4x8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<4x8xf32>
  // CHECK: %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<2x8xf32>) {
  %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x8xf32>) {
    // CHECK-NEXT: stablehlo.add %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<2x8xf32>
    %5 = stablehlo.add %b, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<2x8xf32>
    // CHECK-NEXT: sdy.return %{{.*}} : tensor<2x8xf32>
    sdy.return %5 : tensor<2x8xf32>
  // CHECK-NEXT: } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: sdy.named_computation<"layer">(%3) (%arg1: tensor<4x8xf32>) {
  %4 = sdy.named_computation<"layer">(%3) (%b: tensor<4x8xf32>) {
    sdy.return %b : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}
