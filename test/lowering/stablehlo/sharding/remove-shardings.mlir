// RUN: hlo-opt %s --remove-shardings | FileCheck %s

// CHECK-NOT: sdy.
// CHECK: func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result"})
// CHECK-NEXT: %0 = stablehlo.sine %arg0 : tensor<4xf32>
// CHECK-NEXT: %1 = stablehlo.cosine %0 : tensor<4xf32>
// CHECK-NEXT: return %1
sdy.mesh @mesh = <["x"=1]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  sdy.sharding_group %a group_id=1 : tensor<4xf32>
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<4xf32>
  %1 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %4 = stablehlo.cosine %b : tensor<4xf32>
    sdy.return %4 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<4xf32>
  return %3 : tensor<4xf32>
}
