// LAPACK's factors of lower triangles are the transposes of those of the transposed matrices' upper triangles.
// RUN: hlo-opt %s --split-input-file --transpose-factorisations='target=avx512 vendor=AuthenticAMD' | FileCheck %s
// RUN: hlo-opt %s --split-input-file --transpose-factorisations='target=avx2 vendor=GenuineIntel' | FileCheck %s --check-prefix=SHORT

// CHECK-LABEL: func.func @lower
// CHECK: %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 0]
// CHECK: %[[U:.*]]:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%[[T]]) {{.*}}uplo = 85 : ui8
// CHECK: %[[L:.*]] = stablehlo.transpose %[[U]]#0, dims = [1, 0]
// CHECK: return %[[L]], %[[U]]#1
func.func @lower(%a: tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<i32>) {
  %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<i32>)
  return %r#0, %r#1 : tensor<40x40xf64>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func @batch
// CHECK: stablehlo.transpose %arg0, dims = [0, 1, 3, 2]
// CHECK: uplo = 85 : ui8
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 1, 3, 2]
func.func @batch(%a: tensor<2x3x200x200xcomplex<f32>>) -> (tensor<2x3x200x200xcomplex<f32>>, tensor<2x3xi32>) {
  %r:2 = stablehlo.custom_call @lapack_cpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<2x3x200x200xcomplex<f32>>) -> (tensor<2x3x200x200xcomplex<f32>>, tensor<2x3xi32>)
  return %r#0, %r#1 : tensor<2x3x200x200xcomplex<f32>>, tensor<2x3xi32>
}

// -----

// CHECK-LABEL: func.func @upper
// CHECK-NEXT: stablehlo.custom_call @lapack_dpotrf_ffi(%arg0) {{.*}}uplo = 85 : ui8
// CHECK-NEXT: return
func.func @upper(%a: tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<i32>) {
  %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}, api_version = 4 : i32} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<i32>)
  return %r#0, %r#1 : tensor<40x40xf64>, tensor<i32>
}

// -----

// Small matrices are factorised by code of the program: of order 8, and where they fill the lanes of a vector up to an order that depends on the vectors.
// CHECK-LABEL: func.func @small
// CHECK-NOT: stablehlo.transpose
// CHECK: return
func.func @small(%a: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<i32>) {
  %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<i32>)
  return %r#0, %r#1 : tensor<8x8xf64>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func @many
// CHECK-NOT: stablehlo.transpose
// CHECK: return
// SHORT-LABEL: func.func @many
// SHORT: stablehlo.transpose
// SHORT: return
func.func @many(%a: tensor<16x64x64xf64>) -> (tensor<16x64x64xf64>, tensor<16xi32>) {
  %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<16x64x64xf64>) -> (tensor<16x64x64xf64>, tensor<16xi32>)
  return %r#0, %r#1 : tensor<16x64x64xf64>, tensor<16xi32>
}

// -----

// Complex f64: without transposed reads where LAPACK gains less, but transposed where the factor is (as in cho_factor).
// CHECK-LABEL: func.func @read_by_rows
// CHECK-NEXT: stablehlo.custom_call @lapack_zpotrf_ffi(%arg0) {{.*}}uplo = 76 : ui8
// SHORT-LABEL: func.func @read_by_rows
// SHORT: stablehlo.transpose
func.func @read_by_rows(%a: tensor<40x40xcomplex<f64>>) -> (tensor<40x40xcomplex<f64>>, tensor<i32>) {
  %r:2 = stablehlo.custom_call @lapack_zpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<40x40xcomplex<f64>>) -> (tensor<40x40xcomplex<f64>>, tensor<i32>)
  return %r#0, %r#1 : tensor<40x40xcomplex<f64>>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func @read_by_columns
// CHECK: stablehlo.transpose %arg0, dims = [1, 0]
// CHECK: stablehlo.custom_call @lapack_zpotrf_ffi({{.*}}uplo = 85 : ui8
func.func @read_by_columns(%a: tensor<40x40xcomplex<f64>>) -> (tensor<40x40xcomplex<f64>>, tensor<i32>) {
  %r:2 = stablehlo.custom_call @lapack_zpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<40x40xcomplex<f64>>) -> (tensor<40x40xcomplex<f64>>, tensor<i32>)
  %n = stablehlo.negate %r#0 : tensor<40x40xcomplex<f64>>
  %t = stablehlo.transpose %n, dims = [1, 0] : (tensor<40x40xcomplex<f64>>) -> tensor<40x40xcomplex<f64>>
  return %t, %r#1 : tensor<40x40xcomplex<f64>>, tensor<i32>
}
