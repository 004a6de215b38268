// RUN: hlo-opt %s --split-input-file --propagate-shardings=even=true | FileCheck %s

// Arguments and results get the axes that cut them evenly, and those that they were given.
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}
// CHECK-SAME: %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK-SAME: -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>})
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %b: tensor<6xf32>)
    -> (tensor<6xf32>, tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{"x", "y"}]>]
  %0 = stablehlo.add %a, %b : tensor<6xf32>
  return %0, %0 : tensor<6xf32>, tensor<6xf32>
}
