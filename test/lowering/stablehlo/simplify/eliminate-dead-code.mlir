// RUN: hlo-opt %s --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: @unused
// CHECK-NEXT: return
func.func @unused(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.sine %x : tensor<f32>
  %1 = stablehlo.cosine %0 : tensor<f32>
  return %x : tensor<f32>
}

// The second value is carried only for itself.
// CHECK-LABEL: @carried
// CHECK: stablehlo.while(%{{.*}} = %arg0) : tensor<i32>
// CHECK-NOT: stablehlo.sine
// CHECK: return
func.func @carried(%n: tensor<i32>, %x: tensor<f32>) -> tensor<i32> {
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<f32>
    cond {
      %c = stablehlo.constant dense<10> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %i : tensor<i32>
      %3 = stablehlo.sine %a : tensor<f32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<f32>
    }
  return %0#0 : tensor<i32>
}

// CHECK-LABEL: @effect
// CHECK: stablehlo.custom_call @print
func.func @effect(%x: tensor<f32>) {
  stablehlo.custom_call @print(%x) {has_side_effect = true} : (tensor<f32>) -> ()
  return
}

// Eigenvalues alone ("N", 78) where nobody reads the vectors, both ("V", 86) where somebody does.
// CHECK-LABEL: @eigenvalues
// CHECK: custom_call @lapack_ssyevd_ffi(%arg0) {{{.*}}mode = 78 : ui8
// CHECK: custom_call @lapack_ssyevd_ffi(%arg1) {{{.*}}mode = 86 : ui8
func.func @eigenvalues(%x: tensor<3x3xf32>, %y: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>) {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, api_version = 4 : i32}
    : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
  %1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%y) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, api_version = 4 : i32}
    : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
  %2 = stablehlo.negate %0#0 : tensor<3x3xf32>
  return %0#1, %1#0 : tensor<3xf32>, tensor<3x3xf32>
}
