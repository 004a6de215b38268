// RUN: hlo-opt %s --lapack-to-stablehlo=least=2 | FileCheck %s

// CHECK-LABEL: func.func @factor
// CHECK: %[[F:.*]] = stablehlo.cholesky %arg0, lower = true : tensor<2x3x3xf32>
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.select %{{.*}}, %[[F]], %arg0
// CHECK: stablehlo.reduce
// CHECK-NOT: custom_call
// CHECK: return %{{.*}} : tensor<2x3x3xf32>, tensor<2xi32>
func.func @factor(%a: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x3x3xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @system
// CHECK: "stablehlo.triangular_solve"
// CHECK-SAME: left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true
// CHECK-NOT: custom_call
func.func @system(%a: tensor<2x2xcomplex<f64>>, %b: tensor<5x2xcomplex<f64>>) -> tensor<5x2xcomplex<f64>> {
  %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}, api_version = 4 : i32} : (tensor<2x2xcomplex<f64>>, tensor<5x2xcomplex<f64>>) -> tensor<5x2xcomplex<f64>>
  return %0 : tensor<5x2xcomplex<f64>>
}

// What does not fit, and what StableHLO has no operation for.

// CHECK-LABEL: func.func @kept
// CHECK: @lapack_dpotrf_ffi
// CHECK: @lapack_sgetrf_ffi
func.func @kept(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  %1:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%0#0) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  return %1#0, %1#1, %1#2 : tensor<3x3xf32>, tensor<3xi32>, tensor<i32>
}

// CHECK-LABEL: func.func @small
// CHECK: @lapack_spotrf_ffi
func.func @small(%a: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<1x1xf32>, tensor<i32>
}
