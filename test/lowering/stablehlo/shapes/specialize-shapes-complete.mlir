// RUN: not hlo-opt %s "--specialize-shapes=complete=true" --split-input-file 2>&1 | FileCheck %s

// CHECK: :6:8: error: the sizes of the result of 'stablehlo.dynamic_iota' depend on what its operands hold
// CHECK-NOT: error
func.func @used(%n: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.negate %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @unused(%n: tensor<1xi32>) -> tensor<1xi32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %n : tensor<1xi32>
}
