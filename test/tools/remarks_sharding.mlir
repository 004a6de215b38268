// RUN: hlo-opt %s --propagate-shardings --partition --remarks -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=MODULE < %t

// CHECK: remarks_sharding.mlir:[[#@LINE+9]]:{{[0-9]+}}: remark: all_reduce of 48 bytes in 2 groups of 2 processes, for dot_general
// CHECK: remarks_sharding.mlir:[[#@LINE+9]]:{{[0-9]+}}: remark: all_gather of 16 bytes in 2 groups of 2 processes, for rng_bit_generator
// CHECK: remarks_sharding.mlir:[[#@LINE+8]]:{{[0-9]+}}: remark: stablehlo.rng_bit_generator has no rule for its operands to be cut: every process gathers 16 bytes and computes all of it
// CHECK: remark: collective_permute of 48 bytes from process to process, 2 of 4 to another
// CHECK-NOT: remark
// MODULE: func.func @main

sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x6xf32>, %s: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<8xui32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1, %2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  %3 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<4x6xf32>
  return %3, %2 : tensor<4x6xf32>, tensor<8xui32>
}
