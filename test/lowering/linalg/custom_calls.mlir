// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: call @my_solve_0
// CHECK-NOT: Sharding
// CHECK: func.func private @my_solve_0(tensor<4xi8>) -> tensor<4xf32>
// CHECK-SAME: hlo.backend_config = "fast"
// CHECK-SAME: hlo.custom_call = "my.solve"
// CHECK-SAME: hlo.operand_types = [tensor<4xui8>]
func.func @main(%a: tensor<4xui8>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @my.solve(%a) {backend_config = "fast"} : (tensor<4xui8>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @Sharding(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @expectation
// CHECK: call @check_expect_eq_0
// CHECK: func.func private @check_expect_eq_0(tensor<2xi32>, tensor<2xi32>)
// CHECK-SAME: hlo.custom_call = "check.expect_eq"
func.func @expectation(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  check.expect_eq %a, %b : tensor<2xi32>
  return
}

// LAPACK's factorisations of small matrices are code: many are interleaved (blocks of 16, the last one with 4 of the 20), alone they are as they are.
// CHECK-LABEL: func.func public @many
// CHECK: tensor.insert_slice {{.*}} : tensor<20x3x3xf32> into tensor<32x3x3xf32>
// CHECK: call @lu_0({{.*}}) : (tensor<2x3x3x16xf32>, tensor<2x3x16xi32>, tensor<2x16xi32>)
// CHECK-NOT: lapack
// CHECK: call @cholesky_0({{.*}}) : (tensor<3x3xf32>, tensor<i32>)
// CHECK: call @lapack_spotrf_ffi_0
func.func public @many(%a: tensor<20x3x3xf32>, %b: tensor<3x3xf32>, %c: tensor<40x40xf32>) -> (tensor<20x3x3xf32>, tensor<3x3xf32>, tensor<40x40xf32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}, api_version = 4 : i32} : (tensor<20x3x3xf32>) -> (tensor<20x3x3xf32>, tensor<20x3xi32>, tensor<20xi32>)
  %1:2 = stablehlo.custom_call @lapack_spotrf_ffi(%b) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  %2:2 = stablehlo.custom_call @lapack_spotrf_ffi(%c) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<i32>)
  return %0#0, %1#0, %2#0 : tensor<20x3x3xf32>, tensor<3x3xf32>, tensor<40x40xf32>
}

// The first result is not used.
// CHECK-LABEL: func.func @unread
// CHECK: func.func private @my_pair_0
// CHECK-SAME: hlo.unread_results = array<i64: 0>
func.func @unread(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = stablehlo.custom_call @my.pair(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// The unknowns may be where the right sides were.
// CHECK-LABEL: func.func @system
// CHECK: func.func private @lapack_dtrsm_ffi_0(tensor<40x40xf64>, tensor<40x2xf64> {hlo.may_alias = array<i64: 0>}) -> tensor<40x2xf64>
func.func @system(%a: tensor<40x40xf64>, %b: tensor<40x2xf64>) -> tensor<40x2xf64> {
  %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<40x40xf64>, tensor<40x2xf64>) -> tensor<40x2xf64>
  return %0 : tensor<40x2xf64>
}
