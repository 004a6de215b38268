// RUN: hlo-opt %s --compile-to=linalg | hlo-opt --compute-gathered --read-columns | FileCheck %s

// The factors' elements at (%i0, %i1) are looked up and nothing else: LAPACK leaves their transposes.
// CHECK-LABEL: func.func public @main
// CHECK: %[[LU:.*]]:3 = call @lapack_dgetrf_ffi_0
// CHECK: %[[ROW:.*]] = arith.index_cast
// CHECK: %[[COLUMN:.*]] = arith.index_cast
// CHECK: tensor.extract %[[LU]]#0[%[[COLUMN]], %[[ROW]]]
// CHECK: @lapack_dgetrf_ffi_0(tensor<40x40xf64>) ->{{.*}}hlo.custom_call = "lapack_dgetrf_by_columns"
func.func public @main(%a: tensor<40x40xf64>, %i: tensor<5x2xi32>) -> tensor<5xf64> {
  %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<40xi32>, tensor<i32>)
  %1 = "stablehlo.gather"(%0#0, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<40x40xf64>, tensor<5x2xi32>) -> tensor<5xf64>
  return %1 : tensor<5xf64>
}

// They are returned as well.
// CHECK-LABEL: func.func @returned
// CHECK: %[[LU:.*]]:3 = call @lapack_dgetrf_ffi_1
// CHECK: %[[ROW:.*]] = arith.index_cast
// CHECK: %[[COLUMN:.*]] = arith.index_cast
// CHECK: tensor.extract %[[LU]]#0[%[[ROW]], %[[COLUMN]]]
// CHECK: @lapack_dgetrf_ffi_1(tensor<40x40xf64> {hlo.may_alias = array<i64: 0>}) ->{{.*}}hlo.custom_call = "lapack_dgetrf_ffi"
func.func @returned(%a: tensor<40x40xf64>, %i: tensor<5x2xi32>) -> (tensor<40x40xf64>, tensor<5xf64>) {
  %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<40xi32>, tensor<i32>)
  %1 = "stablehlo.gather"(%0#0, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<40x40xf64>, tensor<5x2xi32>) -> tensor<5xf64>
  return %0#0, %1 : tensor<40x40xf64>, tensor<5xf64>
}

// They are not square.
// CHECK-LABEL: func.func @wide
// CHECK: call @lapack_dgetrf_ffi_2
// CHECK: @lapack_dgetrf_ffi_2({{.*}}hlo.custom_call = "lapack_dgetrf_ffi"
func.func @wide(%a: tensor<40x50xf64>, %i: tensor<5x2xi32>) -> tensor<5xf64> {
  %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<40x50xf64>) -> (tensor<40x50xf64>, tensor<40xi32>, tensor<i32>)
  %1 = "stablehlo.gather"(%0#0, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<40x50xf64>, tensor<5x2xi32>) -> tensor<5xf64>
  return %1 : tensor<5xf64>
}
