// RUN: hlo-opt %s --inline-calls | FileCheck %s

// Composites that stand for CHLO ops become these ops; those that would be no right op, or another version, are inlined.
// CHECK-LABEL: func.func public @main
// CHECK: chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
// CHECK: chlo.top_k
// CHECK-SAME: k = 2
// CHECK: stablehlo.negate
// CHECK: stablehlo.negate
// CHECK: stablehlo.negate
// CHECK: stablehlo.negate
// CHECK-NOT: func.func private
func.func public @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<2xi32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.composite "chlo.erf" %x {decomposition = @negative, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 2 : i64}, decomposition = @first, version = 1 : i32} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  %2 = stablehlo.composite "chlo.erf" %x {decomposition = @negative, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.composite "chlo.erf" %i {decomposition = @negative_integer, version = 1 : i32} : (tensor<4xi32>) -> tensor<4xi32>
  %4 = stablehlo.composite "chlo.unknown" %x {decomposition = @negative, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.composite "my.erf" %x {decomposition = @negative, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1#0, %1#1, %2, %3, %4, %5 : tensor<4xf32>, tensor<2xf32>, tensor<2xi32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
}

func.func private @negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func private @negative_integer(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.negate %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func private @first(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %1 = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  return %0, %1 : tensor<2xf32>, tensor<2xi32>
}
