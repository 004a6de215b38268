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

// Limits that are the starts and known integers: the size of the result is known, and a loop over a dimension of any size is one of
// dynamic slices.
// CHECK-LABEL: @behind_starts(%arg0: tensor<4x3xf32>, %arg1: tensor<2xi32>) -> tensor<1x3xf32>
// CHECK: stablehlo.dynamic_slice %arg0, %{{.*}}, %{{.*}}, sizes = [1, 3]
func.func public @behind_starts(%x: tensor<4x3xf32>, %i: tensor<2xi32>) -> tensor<1x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x3xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %last = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %one, %last, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limits = stablehlo.add %i, %sizes : tensor<2xi32>
  %r = stablehlo.real_dynamic_slice %x, %i, %limits, %ones : (tensor<4x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
  return %r : tensor<1x?xf32>
}

// With strides: three of five elements.
// CHECK-LABEL: @strides_behind_starts(%arg0: tensor<9xf32>, %arg1: tensor<1xi32>) -> tensor<3xf32>
// CHECK: stablehlo.gather
func.func public @strides_behind_starts(%x: tensor<9xf32>, %i: tensor<1xi32>) -> tensor<?xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %limits = stablehlo.add %five, %i : tensor<1xi32>
  %r = stablehlo.real_dynamic_slice %x, %i, %limits, %two : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Limits below the starts are no size.
// CHECK-LABEL: @below_starts
// CHECK: stablehlo.real_dynamic_slice
func.func public @below_starts(%x: tensor<9xf32>, %i: tensor<1xi32>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %less = stablehlo.constant dense<-2> : tensor<1xi32>
  %limits = stablehlo.add %i, %less : tensor<1xi32>
  %r = stablehlo.real_dynamic_slice %x, %i, %limits, %one : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
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
