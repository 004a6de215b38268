// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s
// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=memory | FileCheck %s --check-prefix=CODE

// Parts of an array that are computed from the same values are one loop nest, in which these are computed once.
// CHECK-LABEL: func.func @equal_shapes(
// CHECK:       hlo.schedule = {stages = [{
// CHECK-NOT:   }, {
// CHECK-SAME:  }]}
// CODE-LABEL:  func.func public @equal_shapes(
// CODE:        func.func private
// CODE:        math.sqrt
// CODE-NOT:    math.sqrt
// CODE-LABEL:  func.func public @scalars(
func.func @equal_shapes(%x: tensor<16xf32>) -> tensor<48xf32> {
  %f = stablehlo.sqrt %x : tensor<16xf32>
  %g = stablehlo.add %f, %f : tensor<16xf32>
  %h = stablehlo.multiply %f, %g : tensor<16xf32>
  %r = stablehlo.concatenate %f, %g, %h, dim = 0 : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<48xf32>
  return %r : tensor<48xf32>
}

// -----

// CODE:        math.sqrt
// CODE-NOT:    math.sqrt
// CODE-LABEL:  func.func public @other_places(
func.func @scalars(%x: tensor<1xf32>) -> tensor<3xf32> {
  %f = stablehlo.sqrt %x : tensor<1xf32>
  %g = stablehlo.add %f, %f : tensor<1xf32>
  %h = stablehlo.multiply %f, %g : tensor<1xf32>
  %r = stablehlo.concatenate %f, %g, %h, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// The halves are computed once each: they share nothing, and are two loop nests.
// CHECK-LABEL: func.func @other_places(
// CHECK:       hlo.schedule = {stages = [{{.*}}}, {{.*}}]}
func.func @other_places(%x: tensor<32xf32>) -> tensor<32xf32> {
  %f = stablehlo.sqrt %x : tensor<32xf32>
  %low = stablehlo.slice %f [0:16] : (tensor<32xf32>) -> tensor<16xf32>
  %high = stablehlo.slice %f [16:32] : (tensor<32xf32>) -> tensor<16xf32>
  %r = stablehlo.concatenate %high, %low, dim = 0 : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  return %r : tensor<32xf32>
}

// -----

// Parts of different shapes are loop nests of their own: a value that both need is stored where it would take long to compute it again.
// CHECK-LABEL: func.func @other_shapes(
// CHECK-NEXT:    call @sqrt_0
// CHECK-NEXT:    call @{{.*}}insert
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @other_small_shapes(
// CHECK-NEXT:    call @{{.*}}insert
// CHECK-NEXT:    return
func.func @other_shapes(%x: tensor<500xf32>) -> tensor<950xf32> {
  %f = stablehlo.sqrt %x : tensor<500xf32>
  %some = stablehlo.slice %f [50:500] : (tensor<500xf32>) -> tensor<450xf32>
  %r = stablehlo.concatenate %f, %some, dim = 0 : (tensor<500xf32>, tensor<450xf32>) -> tensor<950xf32>
  return %r : tensor<950xf32>
}

// -----

func.func @other_small_shapes(%x: tensor<50xf32>) -> tensor<95xf32> {
  %f = stablehlo.sqrt %x : tensor<50xf32>
  %some = stablehlo.slice %f [5:50] : (tensor<50xf32>) -> tensor<45xf32>
  %r = stablehlo.concatenate %f, %some, dim = 0 : (tensor<50xf32>, tensor<45xf32>) -> tensor<95xf32>
  return %r : tensor<95xf32>
}
