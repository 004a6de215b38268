// RUN: hlo-opt %s --specialize-shapes --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: func.func public @sizes(%arg0: tensor<4x3xf32>) -> tensor<12x1xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x3xf32>) -> tensor<12x1xf32>
// CHECK-NEXT: return %[[R]]
func.func public @sizes(%x: tensor<4x3xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x3xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x3xf32>) -> tensor<i32>
  %nm = stablehlo.multiply %n, %m : tensor<i32>
  %a = stablehlo.reshape %nm : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.constant dense<1> : tensor<1xi32>
  %s = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A slice of a static size at places that only the running program knows: one gather a dimension.
// CHECK-LABEL: @run_time
// CHECK-COUNT-2: stablehlo.gather
// CHECK-NOT: real_dynamic_slice
func.func public @run_time(%x: tensor<4x3xf32>, %i: tensor<2xi32>) -> tensor<2x2xf32> {
  %r = stablehlo.real_dynamic_slice %x, %i, %i, %i : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// Nothing is known: nothing changes.
// CHECK-LABEL: @unknown
// CHECK: stablehlo.dynamic_reshape
func.func public @unknown(%x: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Random numbers of a known shape.
// CHECK-LABEL: @random(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<2x3xf32>
// CHECK: stablehlo.rng
// CHECK-SAME: -> tensor<2x3xf32>
func.func public @random(%a: tensor<f32>, %b: tensor<f32>) -> tensor<?x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
