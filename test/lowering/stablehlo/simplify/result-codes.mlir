// The code of an LU factorisation is 0 or the number of a zero pivot, never negative: comparing it with 0 needs no factorisation.
// RUN: hlo-opt %s --split-input-file --simplify-algebra | FileCheck %s
// RUN: hlo-opt %s --split-input-file --split-factorisations='columns=32 target=avx512 vendor=AuthenticAMD' --simplify-algebra | FileCheck %s --check-prefix=HALVES

// CHECK-LABEL: func.func @checked
// CHECK: %[[F:.*]]:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%arg0)
// CHECK: return %[[F]]#0
// HALVES-LABEL: func.func @checked
// HALVES-NOT: stablehlo.compare GE
// HALVES: return
func.func @checked(%a: tensor<3x40x40xf64>) -> tensor<3x40x40xf64> {
  %f:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<3x40x40xf64>) -> (tensor<3x40x40xf64>, tensor<3x40xi32>, tensor<3xi32>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<3xi32>
  %ok = stablehlo.compare GE, %f#2, %zeros, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %each = stablehlo.broadcast_in_dim %ok, dims = [0] : (tensor<3xi1>) -> tensor<3x1x1xi1>
  %all = stablehlo.broadcast_in_dim %each, dims = [0, 1, 2] : (tensor<3x1x1xi1>) -> tensor<3x40x40xi1>
  %nan = stablehlo.constant dense<0x7FF8000000000000> : tensor<3x40x40xf64>
  %r = stablehlo.select %all, %f#0, %nan : tensor<3x40x40xi1>, tensor<3x40x40xf64>
  return %r : tensor<3x40x40xf64>
}

// -----

// Pivots are no codes, other comparisons and other routines' codes stay: potrf's is positive where a matrix is not, geev's negative where numbers are not finite.
// CHECK-LABEL: func.func @kept
// CHECK: stablehlo.compare EQ
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.compare GE
func.func @kept(%a: tensor<40x40xf64>) -> (tensor<i1>, tensor<40xi1>, tensor<i1>) {
  %f:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<40xi32>, tensor<i32>)
  %c:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<i32>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<40xi32>
  %none = stablehlo.compare EQ, %f#2, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %pivots = stablehlo.compare GE, %f#1, %zeros, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
  %other = stablehlo.compare GE, %c#1, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %none, %pivots, %other : tensor<i1>, tensor<40xi1>, tensor<i1>
}
