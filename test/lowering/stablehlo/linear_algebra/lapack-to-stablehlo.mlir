// RUN: hlo-opt %s --lapack-to-stablehlo=least=2 | FileCheck %s
// RUN: hlo-opt %s --lapack-to-stablehlo='least=2 systems-only=true right-sides=5 most=1' | FileCheck %s --check-prefix=SYSTEMS
// RUN: hlo-opt %s --lapack-to-stablehlo='least=2 systems-only=true right-sides=5 most=1 whole=2' | FileCheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func @factor
// CHECK: %[[F:.*]] = stablehlo.cholesky %arg0, lower = true : tensor<2x3x3xf32>
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.select %{{.*}}, %[[F]], %arg0
// CHECK: stablehlo.reduce
// CHECK-NOT: custom_call
// CHECK: return %{{.*}} : tensor<2x3x3xf32>, tensor<2xi32>
// SYSTEMS-LABEL: func.func @factor
// SYSTEMS: @lapack_spotrf_ffi
func.func @factor(%a: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x3x3xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @system
// CHECK: "stablehlo.triangular_solve"
// CHECK-SAME: left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true
// CHECK-NOT: custom_call
// SYSTEMS-LABEL: func.func @system
// SYSTEMS: "stablehlo.triangular_solve"
func.func @system(%a: tensor<2x2xcomplex<f64>>, %b: tensor<5x2xcomplex<f64>>) -> tensor<5x2xcomplex<f64>> {
  %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}, api_version = 4 : i32} : (tensor<2x2xcomplex<f64>>, tensor<5x2xcomplex<f64>>) -> tensor<5x2xcomplex<f64>>
  return %0 : tensor<5x2xcomplex<f64>>
}

// Too few right sides, too many matrices.
// SYSTEMS-LABEL: func.func @others
// SYSTEMS: @lapack_strsm_ffi(%arg0
// SYSTEMS: @lapack_strsm_ffi(%arg2
// WHOLE-LABEL: func.func @others
// WHOLE: @lapack_strsm_ffi(%arg0
// WHOLE: triangular_solve
func.func @others(%a: tensor<2x2xf32>, %b: tensor<2x4xf32>, %c: tensor<2x2x2xf32>, %d: tensor<2x2x9xf32>) -> (tensor<2x4xf32>, tensor<2x2x9xf32>) {
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, api_version = 4 : i32} : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%c, %d) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, api_version = 4 : i32} : (tensor<2x2x2xf32>, tensor<2x2x9xf32>) -> tensor<2x2x9xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x2x9xf32>
}

// Too many matrices above the order of those that stay whole.
// WHOLE-LABEL: func.func @larger
// WHOLE: @lapack_strsm_ffi
func.func @larger(%a: tensor<2x3x3xf32>, %b: tensor<2x3x9xf32>) -> tensor<2x3x9xf32> {
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, api_version = 4 : i32} : (tensor<2x3x3xf32>, tensor<2x3x9xf32>) -> tensor<2x3x9xf32>
  return %0 : tensor<2x3x9xf32>
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
