// custom_call: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @sharding() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = stablehlo.custom_call @Sharding(%0) {backend_config = ""} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @spmdfulltoshardshape() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = ""} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @spmdshardtofullshape() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %r = stablehlo.custom_call @SPMDShardToFullShape(%0) {backend_config = ""} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @without_results() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  stablehlo.custom_call @check.eq(%0, %0) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %r = stablehlo.negate %0 : tensor<2x3xf32>
  check.expect_eq_const %r, dense<[[-0.0e+00, -1.0e+00, -2.0e+00], [-3.0e+00, -4.0e+00, -5.0e+00]]> : tensor<2x3xf32>
  return
}

func.func @potrf_f32() {
  %c0 = stablehlo.constant dense<[[4.0e+00, 2.0e+00, 1.0e+00], [2.0e+00, 5.0e+00, 3.0e+00], [1.0e+00, 3.0e+00, 6.0e+00]]> : tensor<3x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x3xf32>
  %l, %r1 = stablehlo.custom_call @lapack_spotrf_ffi(%0) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  %i = stablehlo.iota dim = 0 : tensor<3x3xi32>
  %j = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %p = stablehlo.compare GE, %i, %j : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %z = stablehlo.constant dense<[[0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00]]> : tensor<3x3xf32>
  %r0 = stablehlo.select %p, %l, %z : tensor<3x3xi1>, tensor<3x3xf32>
  check.expect_almost_eq_const %r0, dense<[[2.0e+00, 0.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, 0.0e+00], [5.0e-01, 1.25e+00, 2.0463380813598633e+00]]> : tensor<3x3xf32>, tolerance = 1.000000e-05
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  return
}

func.func @potrf_f64() {
  %c0 = stablehlo.constant dense<[[4.0e+00, 2.0e+00, 1.0e+00], [2.0e+00, 5.0e+00, 3.0e+00], [1.0e+00, 3.0e+00, 6.0e+00]]> : tensor<3x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x3xf64>
  %l, %r1 = stablehlo.custom_call @lapack_dpotrf_ffi(%0) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  %i = stablehlo.iota dim = 0 : tensor<3x3xi32>
  %j = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %p = stablehlo.compare GE, %i, %j : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %z = stablehlo.constant dense<[[0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00]]> : tensor<3x3xf64>
  %r0 = stablehlo.select %p, %l, %z : tensor<3x3xi1>, tensor<3x3xf64>
  check.expect_almost_eq_const %r0, dense<[[2.0e+00, 0.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, 0.0e+00], [5.0e-01, 1.25e+00, 2.0463381929681126e+00]]> : tensor<3x3xf64>, tolerance = 1.000000e-05
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  return
}

func.func @potrf_complex_f32() {
  %c0 = stablehlo.constant dense<[[(4.0e+00, 0.0e+00), (2.0e+00, -1.0e+00), (1.0e+00, 5.0e-01)], [(2.0e+00, 1.0e+00), (5.0e+00, 0.0e+00), (3.0e+00, -2.0e+00)], [(1.0e+00, -5.0e-01), (3.0e+00, 2.0e+00), (6.0e+00, 0.0e+00)]]> : tensor<3x3xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x3xcomplex<f32>>
  %l, %r1 = stablehlo.custom_call @lapack_cpotrf_ffi(%0) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<i32>)
  %i = stablehlo.iota dim = 0 : tensor<3x3xi32>
  %j = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %p = stablehlo.compare GE, %i, %j : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %z = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)]]> : tensor<3x3xcomplex<f32>>
  %r0 = stablehlo.select %p, %l, %z : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
  check.expect_almost_eq_const %r0, dense<[[(2.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(1.0e+00, 5.0e-01), (1.9364917278289795e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(5.0e-01, -2.5e-01), (1.3555442094802856e+00, 1.29099440574646e+00), (1.47761070728302e+00, 0.0e+00)]]> : tensor<3x3xcomplex<f32>>, tolerance = 1.000000e-05
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  return
}

func.func @potrf_complex_f64() {
  %c0 = stablehlo.constant dense<[[(4.0e+00, 0.0e+00), (2.0e+00, -1.0e+00), (1.0e+00, 5.0e-01)], [(2.0e+00, 1.0e+00), (5.0e+00, 0.0e+00), (3.0e+00, -2.0e+00)], [(1.0e+00, -5.0e-01), (3.0e+00, 2.0e+00), (6.0e+00, 0.0e+00)]]> : tensor<3x3xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x3xcomplex<f64>>
  %l, %r1 = stablehlo.custom_call @lapack_zpotrf_ffi(%0) {mhlo.backend_config = {uplo = 76 : ui8}, api_version = 4 : i32} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>)
  %i = stablehlo.iota dim = 0 : tensor<3x3xi32>
  %j = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %p = stablehlo.compare GE, %i, %j : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %z = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)]]> : tensor<3x3xcomplex<f64>>
  %r0 = stablehlo.select %p, %l, %z : tensor<3x3xi1>, tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %r0, dense<[[(2.0e+00, 0.0e+00), (0.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(1.0e+00, 5.0e-01), (1.9364916731037085e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(5.0e-01, -2.5e-01), (1.3555441711725957e+00, 1.2909944487358054e+00), (1.4776106839534338e+00, 0.0e+00)]]> : tensor<3x3xcomplex<f64>>, tolerance = 1.000000e-05
  check.expect_eq_const %r1, dense<0> : tensor<i32>
  return
}
