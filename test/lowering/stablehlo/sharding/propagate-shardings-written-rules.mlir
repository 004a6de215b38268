// RUN: hlo-opt %s --propagate-shardings --split-input-file --verify-diagnostics | FileCheck %s

// The rule of a custom call: contracted factors are in no result, and what must be whole stays whole.
sdy.mesh @mesh = <["x"=4, "y"=2]>
// CHECK-LABEL: func.func @main
// CHECK: @product(%{{.*}}, %{{.*}}) {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
// CHECK: @compound({{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: @whole(%{{.*}}) {sdy.sharding_rule
func.func @main(%a: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x8xf32>)
    -> (tensor<32x8xf32>, tensor<512xf32>, tensor<32x16xf32>) {
  %0 = stablehlo.custom_call @product(%a, %b) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=32, j=16, k=8} reduction={j}, custom>} : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
  %1 = stablehlo.custom_call @compound(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=32, j=16} need_replication={j}, custom>} : (tensor<32x16xf32>) -> tensor<512xf32>
  %2 = stablehlo.custom_call @whole(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=32, j=16} need_replication={i, j}, custom>} : (tensor<32x16xf32>) -> tensor<32x16xf32>
  return %0, %1, %2 : tensor<32x8xf32>, tensor<512xf32>, tensor<32x16xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @ranks(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  // expected-error @+1 {{sdy.sharding_rule: its results have ranks [2], those of the call [1]}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=4, j=1}, custom>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @no_size(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  // expected-error @+1 {{sdy.sharding_rule: the factor j has no size}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=4}, custom>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @no_rule(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  // expected-error @+1 {{sdy.sharding_rule: expected #sdy.op_sharding_rule<([i], ...)->([i], ...) {i=8}>, found "i -> i"}}
  %0 = stablehlo.custom_call @f(%a) {sdy.sharding_rule = "i -> i"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
