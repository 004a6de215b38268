// RUN: hlo-opt %s --propagate-shardings --partition | FileCheck %s

// Arguments and results of a mesh with its devices in another order: parts go to the process with their place, and back.
// CHECK: sdy.mesh @devices_2_0_1 = <["x"=3], device_ids=[2, 0, 1]>
// CHECK: func.func @main(%arg0: tensor<2xf32> {hlo.global_type = tensor<6xf32>, hlo.sharding = #sdy.sharding<@devices_2_0_1, [{"x"}]>},
// CHECK-SAME: %arg1: tensor<2xf32> {hlo.global_type = tensor<6xf32>, hlo.sharding = #sdy.sharding<@b, [{"x"}]>})
// CHECK-SAME: -> (tensor<2xf32> {hlo.global_type = tensor<6xf32>, hlo.sharding = #sdy.sharding<@devices_2_0_1, [{"x"}]>})
// CHECK: %[[HERE:.*]] = "stablehlo.collective_permute"(%arg0)
// CHECK-SAME{LITERAL}: source_target_pairs = dense<[[2, 0], [0, 1], [1, 2]]>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[HERE]], %arg1
// CHECK: %[[BACK:.*]] = "stablehlo.collective_permute"(%[[SUM]])
// CHECK-SAME{LITERAL}: source_target_pairs = dense<[[0, 2], [1, 0], [2, 1]]>
// CHECK: return %[[BACK]]
sdy.mesh @b = <["x"=3]>
sdy.mesh @a = <["y"=3], device_ids=[2, 0, 1]>
func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}]>}, %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>})
    -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}]>}) {
  %0 = stablehlo.add %a, %b : tensor<6xf32>
  return %0 : tensor<6xf32>
}
