// Halves: the first one, the side by a triangular system, the second one less the side's product. Small ones stay whole.
// RUN: hlo-opt %s --split-input-file --split-factorisations='order=8 leaf=4' | FileCheck %s
// RUN: hlo-opt %s --split-input-file --split-factorisations='columns=32 target=avx512 vendor=AuthenticAMD' | FileCheck %s --check-prefix=LU
// RUN: hlo-opt %s --split-input-file --split-factorisations='columns=32 target=avx512 vendor=GenuineIntel' | FileCheck %s --check-prefixes=LU,INTEL
// RUN: hlo-opt %s --split-input-file --split-factorisations='columns=32 target=baseline' | FileCheck %s --check-prefix=BASELINE
// RUN: hlo-opt %s --split-input-file --split-factorisations='columns=32 target=avx2/1 vendor=AuthenticAMD' | FileCheck %s --check-prefixes=LU,SHORT
// RUN: hlo-opt %s --split-input-file --split-factorisations='columns=32 target=avx2/2 vendor=AuthenticAMD' | FileCheck %s --check-prefixes=LU,SHARED

// CHECK-LABEL: func.func @lower
// CHECK: %[[A11:.*]] = stablehlo.slice %arg0 [0:4, 0:4]
// CHECK: %[[L11:.*]] = stablehlo.cholesky %[[A11]], lower = true : tensor<4x4xf32>
// CHECK: %[[A22:.*]] = stablehlo.slice %arg0 [4:8, 4:8]
// CHECK: %[[A21:.*]] = stablehlo.slice %arg0 [4:8, 0:4]
// CHECK: %[[L21:.*]] = "stablehlo.triangular_solve"(%[[L11]], %[[A21]]) {left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}
// CHECK: %[[P:.*]] = stablehlo.dot_general %[[L21]], %[[L21]], contracting_dims = [1] x [1]
// CHECK: %[[REST:.*]] = stablehlo.subtract %[[A22]], %[[P]]
// CHECK: stablehlo.cholesky %[[REST]], lower = true : tensor<4x4xf32>
// CHECK-COUNT-3: stablehlo.concatenate
func.func @lower(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = stablehlo.cholesky %a, lower = true : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @small
// CHECK-NEXT: stablehlo.cholesky %arg0, lower = true : tensor<7x7xf32>
func.func @small(%a: tensor<7x7xf32>) -> tensor<7x7xf32> {
  %r = stablehlo.cholesky %a, lower = true : tensor<7x7xf32>
  return %r : tensor<7x7xf32>
}

// -----

// Columns by halves; rows of what is right of and below the first half are exchanged as its pivots say.
// LU-LABEL: func.func @lu
// LU: %[[LEFT:.*]] = stablehlo.slice %arg0 [0:40, 0:16]
// LU: %[[F:.*]]:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%[[LEFT]]) {{.*}} : (tensor<40x16xf64>) -> (tensor<40x16xf64>, tensor<16xi32>, tensor<i32>)
// LU: %[[RIGHT:.*]] = stablehlo.slice %arg0 [0:40, 16:32]
// LU: %[[S:.*]] = stablehlo.custom_call @lapack_dlaswp_ffi(%[[RIGHT]], %[[F]]#1)
// LU: stablehlo.custom_call @lapack_dtrsm_ffi({{.*}}) {{.*}} : (tensor<16x16xf64>, tensor<16x16xf64>) -> tensor<16x16xf64>
// LU: %[[P:.*]] = stablehlo.dot_general
// LU: %[[REST:.*]] = stablehlo.subtract %{{.*}}, %[[P]] : tensor<24x16xf64>
// LU: stablehlo.custom_call @lapack_dgetrf_ffi(%[[REST]])
// LU: stablehlo.custom_call @lapack_dlaswp_ffi
// LU: return
func.func @lu(%a: tensor<40x32xf64>) -> (tensor<40x32xf64>, tensor<32xi32>, tensor<i32>) {
  %r:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<40x32xf64>) -> (tensor<40x32xf64>, tensor<32xi32>, tensor<i32>)
  return %r#0, %r#1, %r#2 : tensor<40x32xf64>, tensor<32xi32>, tensor<i32>
}

// -----

// Without vectors for systems, LAPACK is faster.
// BASELINE-LABEL: func.func @whole
// BASELINE-NEXT: stablehlo.custom_call @lapack_dgetrf_ffi(%arg0)
// BASELINE-NEXT: return
func.func @whole(%a: tensor<40x32xf64>) -> (tensor<40x32xf64>, tensor<32xi32>, tensor<i32>) {
  %r:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<40x32xf64>) -> (tensor<40x32xf64>, tensor<32xi32>, tensor<i32>)
  return %r#0, %r#1, %r#2 : tensor<40x32xf64>, tensor<32xi32>, tensor<i32>
}

// -----

// Matrices larger than what a core of Intel's has near stay whole.
// INTEL-LABEL: func.func @many
// INTEL-NEXT: stablehlo.custom_call @lapack_dgetrf_ffi(%arg0)
// INTEL-NEXT: return
func.func @many(%a: tensor<100x64x64xf64>) -> (tensor<100x64x64xf64>, tensor<100x64xi32>, tensor<100xi32>) {
  %r:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<100x64x64xf64>) -> (tensor<100x64x64xf64>, tensor<100x64xi32>, tensor<100xi32>)
  return %r#0, %r#1, %r#2 : tensor<100x64x64xf64>, tensor<100x64xi32>, tensor<100xi32>
}

// -----

// In vectors of 32 bytes, complex f64 is left to LAPACK, and so are matrices of f64 above 1 MiB, on one thread.
// SHORT-LABEL: func.func @short
// SHORT-NEXT: stablehlo.custom_call @lapack_zgetrf_ffi(%arg0)
// SHORT-NEXT: stablehlo.custom_call @lapack_dgetrf_ffi(%arg1)
// SHORT-NEXT: return
// SHARED-LABEL: func.func @short
// SHARED-NEXT: stablehlo.custom_call @lapack_zgetrf_ffi(%arg0)
// SHARED: stablehlo.custom_call @lapack_dgetrf_ffi({{.*}} : (tensor<400x208xf64>)
func.func @short(%a: tensor<40x32xcomplex<f64>>, %b: tensor<400x400xf64>) -> (tensor<40x32xcomplex<f64>>, tensor<400x400xf64>) {
  %r:3 = stablehlo.custom_call @lapack_zgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<40x32xcomplex<f64>>) -> (tensor<40x32xcomplex<f64>>, tensor<32xi32>, tensor<i32>)
  %s:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%b) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<400x400xf64>) -> (tensor<400x400xf64>, tensor<400xi32>, tensor<i32>)
  return %r#0, %s#0 : tensor<40x32xcomplex<f64>>, tensor<400x400xf64>
}
