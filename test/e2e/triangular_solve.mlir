// triangular_solve: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 0.0e+00, 0.0e+00], [2.0e+00, 4.0e+00, 0.0e+00], [3.0e+00, 5.0e+00, 6.0e+00]]> : tensor<3x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x3xf32>
  %c1 = stablehlo.constant dense<[[2.0e+00, 0.0e+00, 0.0e+00], [4.0e+00, 8.0e+00, 0.0e+00], [6.0e+00, 1.0e+01, 1.2e+01]]> : tensor<3x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_almost_eq_const %r, dense<[[2.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 2.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 2.0e+00]]> : tensor<3x3xf32>, tolerance = 1.000000e-05
  return
}

func.func @f32_lower_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 2.75e+00], [2.0e+00, -2.0e+00, -1.875e+00], [4.21875e+00, 3.5e+00, -4.0625e+00], [-1.25e-01, 5.25e+00, -2.0e+00]], [[-2.25e+00, 3.375e+00, -2.25e+00], [-8.125e-01, 5.625e-01, 1.15625e+00], [-3.84375e+00, -4.25e+00, 3.625e+00], [-9.375e-01, 1.5625e+00, 9.375e-01]]]> : tensor<2x4x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_lower_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[-7.5e-01, 1.125e+00, 3.0e+00, 2.0e+00], [-2.375e+00, -2.1875e-01, 3.25e+00, 2.0e+00], [-1.84375e+00, 1.25e-01, 1.25e+00, -2.5e-01]], [[-1.8125e+00, 5.0e-01, -1.375e+00, -5.0e-01], [-4.375e-01, -2.0625e+00, -3.25e+00, -2.0e+00], [7.8125e-01, 2.25e+00, 1.6875e+00, 2.5e-01]]]> : tensor<2x3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_lower_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[-1.6875e+00, -7.5e-01, 4.0625e+00], [2.59375e+00, -3.75e-01, -2.1875e+00], [2.21875e+00, 6.25e+00, -2.625e+00], [-1.875e+00, 3.75e+00, -6.25e-01]], [[-9.375e-01, 4.5625e+00, -2.59375e+00], [-2.125e+00, 5.625e-01, 1.90625e+00], [-2.96875e+00, -3.125e+00, 3.375e+00], [1.25e+00, 1.875e+00, 3.125e-01]]]> : tensor<2x4x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_lower_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 3.0e+00], [-2.0e+00, -7.5e-01, 1.8125e+00, 2.875e+00], [-1.0e+00, -3.75e-01, 1.78125e+00, 1.0625e+00]], [[-1.0e+00, 2.0e+00, 3.75e-01, -1.125e+00], [5.0e-01, 0.0e+00, -1.6875e+00, -2.875e+00], [1.5e+00, 2.5e-01, 1.875e+00, 2.8125e+00]]]> : tensor<2x3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_lower_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[-1.6875e+00, -7.5e-01, 4.0625e+00], [2.59375e+00, -3.75e-01, -2.1875e+00], [2.21875e+00, 6.25e+00, -2.625e+00], [-1.875e+00, 3.75e+00, -6.25e-01]], [[-9.375e-01, 4.5625e+00, -2.59375e+00], [-2.125e+00, 5.625e-01, 1.90625e+00], [-2.96875e+00, -3.125e+00, 3.375e+00], [1.25e+00, 1.875e+00, 3.125e-01]]]> : tensor<2x4x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_lower_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 3.0e+00], [-2.0e+00, -7.5e-01, 1.8125e+00, 2.875e+00], [-1.0e+00, -3.75e-01, 1.78125e+00, 1.0625e+00]], [[-1.0e+00, 2.0e+00, 3.75e-01, -1.125e+00], [5.0e-01, 0.0e+00, -1.6875e+00, -2.875e+00], [1.5e+00, 2.5e-01, 1.875e+00, 2.8125e+00]]]> : tensor<2x3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_upper_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[8.75e-01, -1.25e+00, 7.5e-01], [1.65625e+00, -5.25e+00, -3.75e-01], [5.9375e-01, 3.3125e+00, -1.21875e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-4.0625e-01, 2.625e+00, -5.625e-01], [-2.15625e+00, -1.75e+00, 5.625e-01], [-2.75e+00, -3.5e+00, 1.25e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_upper_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 2.375e+00, 5.875e+00], [-5.5e+00, -2.0e+00, 4.28125e+00, 8.59375e+00], [-2.75e+00, -1.0e+00, 4.21875e+00, 1.9375e+00]], [[-2.25e+00, 3.8125e+00, -1.6875e+00, -2.0e+00], [1.125e+00, 7.1875e-01, -3.5625e+00, -5.625e-01], [3.375e+00, 2.8125e+00, 3.75e+00, -8.75e-01]]]> : tensor<2x3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_upper_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.25e+00], [-5.0e-01, 3.75e+00, 3.125e-01], [-1.65625e+00, 5.25e+00, -1.25e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-6.25e-01, 6.875e-01, 1.25e-01], [-2.0625e+00, -1.625e+00, 1.46875e+00], [2.375e+00, 4.3125e+00, -2.375e+00]]]> : tensor<2x4x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_upper_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[-1.0e+00, -2.875e+00, 4.125e+00, 5.0e+00], [-6.875e+00, -4.59375e+00, 4.71875e+00, 5.0e+00], [-2.8125e+00, -1.8125e+00, 3.34375e+00, -6.25e-01]], [[-2.625e+00, 4.0625e+00, -1.625e+00, -6.25e-01], [-8.125e-01, 2.0e+00, -1.71875e+00, -2.5e+00], [3.90625e+00, 2.9375e+00, 2.9375e+00, 3.125e-01]]]> : tensor<2x3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_upper_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.25e+00], [-5.0e-01, 3.75e+00, 3.125e-01], [-1.65625e+00, 5.25e+00, -1.25e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-6.25e-01, 6.875e-01, 1.25e-01], [-2.0625e+00, -1.625e+00, 1.46875e+00], [2.375e+00, 4.3125e+00, -2.375e+00]]]> : tensor<2x4x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf32>, tolerance = 4.000000e-04
  return
}

func.func @f32_upper_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf32>
  %c1 = stablehlo.constant dense<[[[-1.0e+00, -2.875e+00, 4.125e+00, 5.0e+00], [-6.875e+00, -4.59375e+00, 4.71875e+00, 5.0e+00], [-2.8125e+00, -1.8125e+00, 3.34375e+00, -6.25e-01]], [[-2.625e+00, 4.0625e+00, -1.625e+00, -6.25e-01], [-8.125e-01, 2.0e+00, -1.71875e+00, -2.5e+00], [3.90625e+00, 2.9375e+00, 2.9375e+00, 3.125e-01]]]> : tensor<2x3x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf32>, tolerance = 4.000000e-04
  return
}

func.func @f64_lower_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 2.75e+00], [2.0e+00, -2.0e+00, -1.875e+00], [4.21875e+00, 3.5e+00, -4.0625e+00], [-1.25e-01, 5.25e+00, -2.0e+00]], [[-2.25e+00, 3.375e+00, -2.25e+00], [-8.125e-01, 5.625e-01, 1.15625e+00], [-3.84375e+00, -4.25e+00, 3.625e+00], [-9.375e-01, 1.5625e+00, 9.375e-01]]]> : tensor<2x4x3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_lower_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[-7.5e-01, 1.125e+00, 3.0e+00, 2.0e+00], [-2.375e+00, -2.1875e-01, 3.25e+00, 2.0e+00], [-1.84375e+00, 1.25e-01, 1.25e+00, -2.5e-01]], [[-1.8125e+00, 5.0e-01, -1.375e+00, -5.0e-01], [-4.375e-01, -2.0625e+00, -3.25e+00, -2.0e+00], [7.8125e-01, 2.25e+00, 1.6875e+00, 2.5e-01]]]> : tensor<2x3x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_lower_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[-1.6875e+00, -7.5e-01, 4.0625e+00], [2.59375e+00, -3.75e-01, -2.1875e+00], [2.21875e+00, 6.25e+00, -2.625e+00], [-1.875e+00, 3.75e+00, -6.25e-01]], [[-9.375e-01, 4.5625e+00, -2.59375e+00], [-2.125e+00, 5.625e-01, 1.90625e+00], [-2.96875e+00, -3.125e+00, 3.375e+00], [1.25e+00, 1.875e+00, 3.125e-01]]]> : tensor<2x4x3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_lower_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 3.0e+00], [-2.0e+00, -7.5e-01, 1.8125e+00, 2.875e+00], [-1.0e+00, -3.75e-01, 1.78125e+00, 1.0625e+00]], [[-1.0e+00, 2.0e+00, 3.75e-01, -1.125e+00], [5.0e-01, 0.0e+00, -1.6875e+00, -2.875e+00], [1.5e+00, 2.5e-01, 1.875e+00, 2.8125e+00]]]> : tensor<2x3x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_lower_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[-1.6875e+00, -7.5e-01, 4.0625e+00], [2.59375e+00, -3.75e-01, -2.1875e+00], [2.21875e+00, 6.25e+00, -2.625e+00], [-1.875e+00, 3.75e+00, -6.25e-01]], [[-9.375e-01, 4.5625e+00, -2.59375e+00], [-2.125e+00, 5.625e-01, 1.90625e+00], [-2.96875e+00, -3.125e+00, 3.375e+00], [1.25e+00, 1.875e+00, 3.125e-01]]]> : tensor<2x4x3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf64>, tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_lower_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 3.0e+00], [-2.0e+00, -7.5e-01, 1.8125e+00, 2.875e+00], [-1.0e+00, -3.75e-01, 1.78125e+00, 1.0625e+00]], [[-1.0e+00, 2.0e+00, 3.75e-01, -1.125e+00], [5.0e-01, 0.0e+00, -1.6875e+00, -2.875e+00], [1.5e+00, 2.5e-01, 1.875e+00, 2.8125e+00]]]> : tensor<2x3x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_upper_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[8.75e-01, -1.25e+00, 7.5e-01], [1.65625e+00, -5.25e+00, -3.75e-01], [5.9375e-01, 3.3125e+00, -1.21875e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-4.0625e-01, 2.625e+00, -5.625e-01], [-2.15625e+00, -1.75e+00, 5.625e-01], [-2.75e+00, -3.5e+00, 1.25e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_upper_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 2.375e+00, 5.875e+00], [-5.5e+00, -2.0e+00, 4.28125e+00, 8.59375e+00], [-2.75e+00, -1.0e+00, 4.21875e+00, 1.9375e+00]], [[-2.25e+00, 3.8125e+00, -1.6875e+00, -2.0e+00], [1.125e+00, 7.1875e-01, -3.5625e+00, -5.625e-01], [3.375e+00, 2.8125e+00, 3.75e+00, -8.75e-01]]]> : tensor<2x3x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_upper_transpose_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.25e+00], [-5.0e-01, 3.75e+00, 3.125e-01], [-1.65625e+00, 5.25e+00, -1.25e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-6.25e-01, 6.875e-01, 1.25e-01], [-2.0625e+00, -1.625e+00, 1.46875e+00], [2.375e+00, 4.3125e+00, -2.375e+00]]]> : tensor<2x4x3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_upper_transpose_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[-1.0e+00, -2.875e+00, 4.125e+00, 5.0e+00], [-6.875e+00, -4.59375e+00, 4.71875e+00, 5.0e+00], [-2.8125e+00, -1.8125e+00, 3.34375e+00, -6.25e-01]], [[-2.625e+00, 4.0625e+00, -1.625e+00, -6.25e-01], [-8.125e-01, 2.0e+00, -1.71875e+00, -2.5e+00], [3.90625e+00, 2.9375e+00, 2.9375e+00, 3.125e-01]]]> : tensor<2x3x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_upper_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.25e+00], [-5.0e-01, 3.75e+00, 3.125e-01], [-1.65625e+00, 5.25e+00, -1.25e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-6.25e-01, 6.875e-01, 1.25e-01], [-2.0625e+00, -1.625e+00, 1.46875e+00], [2.375e+00, 4.3125e+00, -2.375e+00]]]> : tensor<2x4x3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf64>, tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.5e+00], [1.25e+00, 2.0e+00, -1.0e+00], [-7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00], [-5.0e-01, 5.0e-01, 2.5e-01], [-1.75e+00, -2.0e+00, 1.5e+00], [1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x4x3xf64>, tolerance = 4.000000e-11
  return
}

func.func @f64_upper_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[2.75e+00, 2.5e-01, 0.0e+00, -5.0e-01], [-3.75e-01, 1.0e+00, -8.75e-01, -1.0e+00], [-7.5e-01, 6.25e-01, 2.375e+00, 8.75e-01], [0.0e+00, 2.5e-01, 1.0e+00, 2.5e+00]], [[2.25e+00, 1.25e-01, 1.25e-01, 8.75e-01], [-5.0e-01, 2.625e+00, 3.75e-01, -1.0e+00], [-2.5e-01, 7.5e-01, 2.125e+00, -1.0e+00], [6.25e-01, 5.0e-01, 7.5e-01, 1.25e+00]]]> : tensor<2x4x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xf64>
  %c1 = stablehlo.constant dense<[[[-1.0e+00, -2.875e+00, 4.125e+00, 5.0e+00], [-6.875e+00, -4.59375e+00, 4.71875e+00, 5.0e+00], [-2.8125e+00, -1.8125e+00, 3.34375e+00, -6.25e-01]], [[-2.625e+00, 4.0625e+00, -1.625e+00, -6.25e-01], [-8.125e-01, 2.0e+00, -1.71875e+00, -2.5e+00], [3.90625e+00, 2.9375e+00, 2.9375e+00, 3.125e-01]]]> : tensor<2x3x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xf64>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xf64>, tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  check.expect_almost_eq_const %r, dense<[[[0.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.5e+00, 1.25e+00, 2.0e+00], [-1.0e+00, -7.5e-01, 1.5e+00, -2.5e-01]], [[-1.0e+00, 1.5e+00, -1.0e+00, -5.0e-01], [5.0e-01, 2.5e-01, -1.75e+00, -2.0e+00], [1.5e+00, 1.0e+00, 1.5e+00, 2.5e-01]]]> : tensor<2x3x4xf64>, tolerance = 4.000000e-11
  return
}

func.func @complex_f32_lower_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(1.09375e+00, 3.4375e+00), (-6.5625e-01, -2.0625e+00), (2.53125e+00, -1.5625e+00)], [(3.5625e+00, 3.125e-02), (-3.21875e+00, -4.6875e-01), (-2.375e+00, -9.6875e-01)], [(4.28125e+00, -6.96875e+00), (1.5625e+00, -9.6875e-01), (-2.875e+00, 6.71875e+00)], [(1.21875e+00, -4.46875e+00), (5.25e+00, -2.0625e+00), (-1.78125e+00, -1.09375e+00)]], [[(-1.375e+00, 4.4375e+00), (2.75e+00, -3.5625e+00), (-2.25e+00, 5.0e-01)], [(4.0625e-01, -3.875e+00), (2.40625e+00, -4.3125e+00), (1.5625e-01, 3.0e+00)], [(-1.28125e+00, -6.59375e+00), (-2.8125e+00, -5.5e+00), (3.25e+00, 2.59375e+00)], [(-1.21875e+00, -2.5625e+00), (3.1875e+00, -4.53125e+00), (1.0625e+00, 2.84375e+00)]]]> : tensor<2x4x3xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_lower_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(-2.1875e-01, -5.3125e-01), (4.0625e-01, -8.4375e-01), (3.0e+00, 1.0e+00), (2.0e+00, 1.25e+00)], [(-3.65625e+00, -1.09375e+00), (-1.625e+00, -2.25e+00), (3.25e+00, -1.75e+00), (2.0e+00, -2.5e-01)], [(-3.78125e+00, 3.46875e+00), (-1.875e-01, -3.53125e+00), (1.25e+00, -1.0e+00), (-2.5e-01, -5.0e-01)]], [[(-1.21875e+00, 1.4375e+00), (8.75e-01, -2.3125e+00), (-1.0e+00, -9.375e-01), (-5.0e-01, -1.0e+00)], [(0.0e+00, -3.78125e+00), (-1.03125e+00, -2.21875e+00), (-2.875e+00, -3.25e+00), (-2.0e+00, -1.0e+00)], [(-1.15625e+00, 1.375e+00), (2.15625e+00, 3.4375e-01), (9.375e-01, -1.5625e-01), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_lower_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(-1.375e+00, 2.78125e+00), (-3.28125e+00, -1.5625e+00), (3.1875e+00, -9.6875e-01)], [(2.125e+00, -2.34375e+00), (-1.0e+00, -2.46875e+00), (-2.8125e-01, 1.84375e+00)], [(7.1875e-01, -6.3125e+00), (6.0e+00, -3.09375e+00), (-6.25e-01, 5.25e+00)], [(-1.3125e+00, -4.03125e+00), (3.9375e+00, -6.875e-01), (-4.375e-01, -1.34375e+00)]], [[(-6.25e-01, 6.625e+00), (4.75e+00, -1.84375e+00), (-3.96875e+00, 1.03125e+00)], [(-4.6875e-01, -4.71875e+00), (3.59375e+00, -6.5625e+00), (1.5625e-01, 4.53125e+00)], [(-1.21875e+00, -5.09375e+00), (-1.46875e+00, -4.875e+00), (2.625e+00, 3.09375e+00)], [(1.25e+00, -2.5e-01), (1.4375e+00, -2.5625e+00), (8.125e-01, 2.4375e+00)]]]> : tensor<2x4x3xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_lower_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (1.09375e+00, -1.21875e+00), (5.625e-01, -1.65625e+00), (4.53125e+00, 8.125e-01)], [(-2.0e+00, -1.5e+00), (-2.0625e+00, 1.5625e+00), (6.875e-01, 1.15625e+00), (1.65625e+00, -5.0e-01)], [(-1.0e+00, 2.0e+00), (1.375e+00, -1.375e+00), (7.8125e-01, -1.9375e+00), (3.625e+00, -6.5625e-01)]], [[(-1.0e+00, 1.75e+00), (2.21875e+00, -2.0e+00), (1.28125e+00, -5.625e-01), (-1.96875e+00, -1.09375e+00)], [(5.0e-01, -2.0e+00), (-2.5e-01, 1.9375e+00), (-2.5625e+00, -5.3125e-01), (-1.09375e+00, -3.25e+00)], [(1.5e+00, 0.0e+00), (2.5e-01, -1.875e-01), (1.875e+00, -1.75e+00), (3.46875e+00, 2.75e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_lower_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(-2.0e+00, 5.40625e+00), (1.78125e+00, -1.0625e+00), (4.9375e+00, -2.84375e+00)], [(3.0625e+00, 2.21875e+00), (2.5e-01, -1.09375e+00), (-4.09375e+00, -1.09375e+00)], [(3.71875e+00, -3.8125e+00), (6.5e+00, 9.0625e-01), (-4.625e+00, 3.25e+00)], [(-2.4375e+00, -3.46875e+00), (3.5625e+00, -1.8125e+00), (-8.125e-01, -1.15625e+00)]], [[(-1.25e+00, 3.125e+00), (4.375e+00, -3.46875e+00), (-1.21875e+00, 4.6875e-01)], [(-3.78125e+00, -3.15625e+00), (-2.46875e+00, -7.1875e+00), (3.65625e+00, 2.71875e+00)], [(-4.71875e+00, -2.34375e+00), (-4.78125e+00, -2.0e+00), (4.125e+00, -9.375e-02)], [(1.25e+00, 2.5e-01), (2.3125e+00, -1.8125e+00), (-1.875e-01, 2.5625e+00)]]]> : tensor<2x4x3xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_lower_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (-1.09375e+00, -1.21875e+00), (1.4375e+00, -1.65625e+00), (1.46875e+00, 8.125e-01)], [(-2.0e+00, -1.5e+00), (5.625e-01, -1.9375e+00), (2.9375e+00, -2.84375e+00), (4.09375e+00, -3.375e+00)], [(-1.0e+00, 2.0e+00), (-2.125e+00, -3.125e+00), (2.78125e+00, -3.9375e+00), (-1.5e+00, -2.09375e+00)]], [[(-1.0e+00, 1.75e+00), (1.78125e+00, -2.25e+00), (-5.3125e-01, -2.1875e+00), (-2.8125e-01, 3.125e-02)], [(5.0e-01, -2.0e+00), (2.5e-01, 2.0625e+00), (-8.125e-01, -4.6875e-01), (-4.65625e+00, -2.875e+00)], [(1.5e+00, 0.0e+00), (2.5e-01, 1.875e-01), (1.875e+00, -1.75e+00), (2.15625e+00, -1.375e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_upper_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(-1.375e+00, 2.46875e+00), (-3.125e-01, -4.1875e+00), (3.375e+00, -3.4375e-01)], [(1.46875e+00, 4.15625e+00), (-5.3125e+00, -9.6875e-01), (-4.375e-01, -1.96875e+00)], [(-5.3125e-01, -2.25e+00), (2.9375e+00, -1.8125e+00), (-1.59375e+00, 1.75e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(7.1875e-01, 1.5625e-01), (3.1875e+00, -4.40625e+00), (-3.125e-01, 2.625e+00)], [(-1.0625e+00, -1.75e+00), (6.25e-01, -3.75e-01), (-1.4375e+00, 1.875e-01)], [(-2.75e+00, -1.375e+00), (-2.84375e+00, 1.3125e+00), (5.0e-01, -1.90625e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_upper_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(1.09375e+00, 3.4375e+00), (-1.21875e+00, -4.375e-01), (3.375e+00, -9.375e-01), (4.96875e+00, 3.03125e+00)], [(-6.8125e+00, -2.375e+00), (-1.15625e+00, -2.0625e+00), (1.28125e+00, -2.15625e+00), (7.65625e+00, -6.875e-01)], [(-1.0e+00, 6.375e+00), (-3.0625e+00, -1.46875e+00), (5.71875e+00, -3.75e-01), (1.3125e+00, -2.4375e+00)]], [[(-1.375e+00, 4.4375e+00), (4.625e+00, -1.8125e+00), (-1.78125e+00, -8.125e-01), (-5.625e-01, 3.03125e+00)], [(1.25e-01, -4.75e+00), (2.1875e-01, 2.75e+00), (-1.4375e+00, -4.9375e+00), (-1.65625e+00, -2.28125e+00)], [(3.375e+00, -7.5e-01), (2.8125e+00, 1.375e+00), (5.5e+00, -8.4375e-01), (2.8125e-01, 5.375e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_upper_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(1.0625e+00, 1.5625e+00), (-1.4375e+00, -1.6875e+00), (-1.0625e+00, -6.25e-02)], [(7.5e-01, -2.59375e+00), (3.0e+00, 1.0625e+00), (6.25e-02, 1.65625e+00)], [(-2.78125e+00, -5.875e+00), (4.96875e+00, -9.375e-02), (1.3125e+00, 3.1875e+00)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-1.0625e+00, -1.03125e+00), (1.0e+00, -1.78125e+00), (1.25e-01, 7.5e-01)], [(-2.3125e+00, -2.71875e+00), (2.5e-01, -8.4375e-01), (8.4375e-01, 3.125e-02)], [(4.46875e+00, 3.375e+00), (6.375e+00, -4.6875e-01), (-3.375e+00, 2.0625e+00)]]]> : tensor<2x4x3xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_upper_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(2.5e-01, 1.875e+00), (-3.0e+00, -2.03125e+00), (4.8125e+00, -2.0e+00), (4.53125e+00, 3.875e+00)], [(-9.09375e+00, -4.5625e+00), (-4.90625e+00, 1.125e+00), (3.03125e+00, -6.53125e+00), (5.09375e+00, 1.25e-01)], [(-3.75e-01, 4.15625e+00), (-2.4375e+00, -2.5e-01), (2.46875e+00, -2.9375e+00), (-4.375e-01, -1.34375e+00)]], [[(-1.6875e+00, 3.40625e+00), (6.3125e+00, -1.90625e+00), (-1.25e+00, -1.875e-01), (-8.75e-01, -1.125e+00)], [(-1.4375e+00, -6.03125e+00), (3.09375e+00, 1.25e-01), (4.0625e-01, -5.21875e+00), (-2.75e+00, -7.5e-01)], [(5.28125e+00, 1.71875e+00), (2.03125e+00, -4.6875e-01), (3.9375e+00, -4.125e+00), (8.125e-01, 2.4375e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_upper_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.9375e+00, 1.5625e+00), (-2.5625e+00, -1.6875e+00), (-1.4375e+00, -1.5625e+00)], [(-1.75e+00, -2.59375e+00), (4.5e+00, 1.0625e+00), (5.625e-01, 3.65625e+00)], [(-5.3125e-01, -3.5e+00), (5.53125e+00, 2.40625e+00), (-1.5625e+00, 1.0625e+00)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-1.875e-01, -5.3125e-01), (3.75e-01, -2.53125e+00), (1.25e-01, 1.25e+00)], [(-1.8125e+00, -1.09375e+00), (-3.5e+00, -2.96875e+00), (2.09375e+00, 7.1875e-01)], [(2.8125e-01, 5.1875e+00), (2.25e+00, 7.8125e-01), (-1.375e+00, -6.25e-02)]]]> : tensor<2x4x3xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f32_upper_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[[(-2.25e+00, 3.375e+00), (-2.75e+00, -1.53125e+00), (3.4375e+00, 3.0e+00), (5.46875e+00, 2.375e+00)], [(-4.65625e+00, -3.8125e+00), (-4.28125e+00, 5.0e-01), (6.40625e+00, -1.03125e+00), (4.90625e+00, -1.375e+00)], [(-5.25e+00, 6.59375e+00), (-1.1875e+00, -8.75e-01), (4.21875e+00, -3.125e-01), (-8.125e-01, -1.15625e+00)]], [[(-3.5625e+00, 2.40625e+00), (1.8125e+00, -2.65625e+00), (-2.0e+00, 2.1875e+00), (-3.75e-01, -1.375e+00)], [(-1.875e-01, -4.90625e+00), (9.0625e-01, 5.8125e+00), (-3.84375e+00, -2.1875e-01), (-2.25e+00, -1.75e+00)], [(2.53125e+00, 1.34375e+00), (3.84375e+00, -4.84375e+00), (1.9375e+00, -7.3125e+00), (-1.875e-01, 2.5625e+00)]]]> : tensor<2x3x4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f32>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f32>>, tolerance = 4.000000e-04
  return
}

func.func @complex_f64_lower_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(1.09375e+00, 3.4375e+00), (-6.5625e-01, -2.0625e+00), (2.53125e+00, -1.5625e+00)], [(3.5625e+00, 3.125e-02), (-3.21875e+00, -4.6875e-01), (-2.375e+00, -9.6875e-01)], [(4.28125e+00, -6.96875e+00), (1.5625e+00, -9.6875e-01), (-2.875e+00, 6.71875e+00)], [(1.21875e+00, -4.46875e+00), (5.25e+00, -2.0625e+00), (-1.78125e+00, -1.09375e+00)]], [[(-1.375e+00, 4.4375e+00), (2.75e+00, -3.5625e+00), (-2.25e+00, 5.0e-01)], [(4.0625e-01, -3.875e+00), (2.40625e+00, -4.3125e+00), (1.5625e-01, 3.0e+00)], [(-1.28125e+00, -6.59375e+00), (-2.8125e+00, -5.5e+00), (3.25e+00, 2.59375e+00)], [(-1.21875e+00, -2.5625e+00), (3.1875e+00, -4.53125e+00), (1.0625e+00, 2.84375e+00)]]]> : tensor<2x4x3xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_lower_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(-2.1875e-01, -5.3125e-01), (4.0625e-01, -8.4375e-01), (3.0e+00, 1.0e+00), (2.0e+00, 1.25e+00)], [(-3.65625e+00, -1.09375e+00), (-1.625e+00, -2.25e+00), (3.25e+00, -1.75e+00), (2.0e+00, -2.5e-01)], [(-3.78125e+00, 3.46875e+00), (-1.875e-01, -3.53125e+00), (1.25e+00, -1.0e+00), (-2.5e-01, -5.0e-01)]], [[(-1.21875e+00, 1.4375e+00), (8.75e-01, -2.3125e+00), (-1.0e+00, -9.375e-01), (-5.0e-01, -1.0e+00)], [(0.0e+00, -3.78125e+00), (-1.03125e+00, -2.21875e+00), (-2.875e+00, -3.25e+00), (-2.0e+00, -1.0e+00)], [(-1.15625e+00, 1.375e+00), (2.15625e+00, 3.4375e-01), (9.375e-01, -1.5625e-01), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_lower_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(-1.375e+00, 2.78125e+00), (-3.28125e+00, -1.5625e+00), (3.1875e+00, -9.6875e-01)], [(2.125e+00, -2.34375e+00), (-1.0e+00, -2.46875e+00), (-2.8125e-01, 1.84375e+00)], [(7.1875e-01, -6.3125e+00), (6.0e+00, -3.09375e+00), (-6.25e-01, 5.25e+00)], [(-1.3125e+00, -4.03125e+00), (3.9375e+00, -6.875e-01), (-4.375e-01, -1.34375e+00)]], [[(-6.25e-01, 6.625e+00), (4.75e+00, -1.84375e+00), (-3.96875e+00, 1.03125e+00)], [(-4.6875e-01, -4.71875e+00), (3.59375e+00, -6.5625e+00), (1.5625e-01, 4.53125e+00)], [(-1.21875e+00, -5.09375e+00), (-1.46875e+00, -4.875e+00), (2.625e+00, 3.09375e+00)], [(1.25e+00, -2.5e-01), (1.4375e+00, -2.5625e+00), (8.125e-01, 2.4375e+00)]]]> : tensor<2x4x3xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_lower_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (1.09375e+00, -1.21875e+00), (5.625e-01, -1.65625e+00), (4.53125e+00, 8.125e-01)], [(-2.0e+00, -1.5e+00), (-2.0625e+00, 1.5625e+00), (6.875e-01, 1.15625e+00), (1.65625e+00, -5.0e-01)], [(-1.0e+00, 2.0e+00), (1.375e+00, -1.375e+00), (7.8125e-01, -1.9375e+00), (3.625e+00, -6.5625e-01)]], [[(-1.0e+00, 1.75e+00), (2.21875e+00, -2.0e+00), (1.28125e+00, -5.625e-01), (-1.96875e+00, -1.09375e+00)], [(5.0e-01, -2.0e+00), (-2.5e-01, 1.9375e+00), (-2.5625e+00, -5.3125e-01), (-1.09375e+00, -3.25e+00)], [(1.5e+00, 0.0e+00), (2.5e-01, -1.875e-01), (1.875e+00, -1.75e+00), (3.46875e+00, 2.75e+00)]]]> : tensor<2x3x4xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_lower_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(-2.0e+00, 5.40625e+00), (1.78125e+00, -1.0625e+00), (4.9375e+00, -2.84375e+00)], [(3.0625e+00, 2.21875e+00), (2.5e-01, -1.09375e+00), (-4.09375e+00, -1.09375e+00)], [(3.71875e+00, -3.8125e+00), (6.5e+00, 9.0625e-01), (-4.625e+00, 3.25e+00)], [(-2.4375e+00, -3.46875e+00), (3.5625e+00, -1.8125e+00), (-8.125e-01, -1.15625e+00)]], [[(-1.25e+00, 3.125e+00), (4.375e+00, -3.46875e+00), (-1.21875e+00, 4.6875e-01)], [(-3.78125e+00, -3.15625e+00), (-2.46875e+00, -7.1875e+00), (3.65625e+00, 2.71875e+00)], [(-4.71875e+00, -2.34375e+00), (-4.78125e+00, -2.0e+00), (4.125e+00, -9.375e-02)], [(1.25e+00, 2.5e-01), (2.3125e+00, -1.8125e+00), (-1.875e-01, 2.5625e+00)]]]> : tensor<2x4x3xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_lower_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (-1.09375e+00, -1.21875e+00), (1.4375e+00, -1.65625e+00), (1.46875e+00, 8.125e-01)], [(-2.0e+00, -1.5e+00), (5.625e-01, -1.9375e+00), (2.9375e+00, -2.84375e+00), (4.09375e+00, -3.375e+00)], [(-1.0e+00, 2.0e+00), (-2.125e+00, -3.125e+00), (2.78125e+00, -3.9375e+00), (-1.5e+00, -2.09375e+00)]], [[(-1.0e+00, 1.75e+00), (1.78125e+00, -2.25e+00), (-5.3125e-01, -2.1875e+00), (-2.8125e-01, 3.125e-02)], [(5.0e-01, -2.0e+00), (2.5e-01, 2.0625e+00), (-8.125e-01, -4.6875e-01), (-4.65625e+00, -2.875e+00)], [(1.5e+00, 0.0e+00), (2.5e-01, 1.875e-01), (1.875e+00, -1.75e+00), (2.15625e+00, -1.375e+00)]]]> : tensor<2x3x4xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_upper_no_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(-1.375e+00, 2.46875e+00), (-3.125e-01, -4.1875e+00), (3.375e+00, -3.4375e-01)], [(1.46875e+00, 4.15625e+00), (-5.3125e+00, -9.6875e-01), (-4.375e-01, -1.96875e+00)], [(-5.3125e-01, -2.25e+00), (2.9375e+00, -1.8125e+00), (-1.59375e+00, 1.75e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(7.1875e-01, 1.5625e-01), (3.1875e+00, -4.40625e+00), (-3.125e-01, 2.625e+00)], [(-1.0625e+00, -1.75e+00), (6.25e-01, -3.75e-01), (-1.4375e+00, 1.875e-01)], [(-2.75e+00, -1.375e+00), (-2.84375e+00, 1.3125e+00), (5.0e-01, -1.90625e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_upper_no_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(1.09375e+00, 3.4375e+00), (-1.21875e+00, -4.375e-01), (3.375e+00, -9.375e-01), (4.96875e+00, 3.03125e+00)], [(-6.8125e+00, -2.375e+00), (-1.15625e+00, -2.0625e+00), (1.28125e+00, -2.15625e+00), (7.65625e+00, -6.875e-01)], [(-1.0e+00, 6.375e+00), (-3.0625e+00, -1.46875e+00), (5.71875e+00, -3.75e-01), (1.3125e+00, -2.4375e+00)]], [[(-1.375e+00, 4.4375e+00), (4.625e+00, -1.8125e+00), (-1.78125e+00, -8.125e-01), (-5.625e-01, 3.03125e+00)], [(1.25e-01, -4.75e+00), (2.1875e-01, 2.75e+00), (-1.4375e+00, -4.9375e+00), (-1.65625e+00, -2.28125e+00)], [(3.375e+00, -7.5e-01), (2.8125e+00, 1.375e+00), (5.5e+00, -8.4375e-01), (2.8125e-01, 5.375e+00)]]]> : tensor<2x3x4xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_upper_transpose_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(1.0625e+00, 1.5625e+00), (-1.4375e+00, -1.6875e+00), (-1.0625e+00, -6.25e-02)], [(7.5e-01, -2.59375e+00), (3.0e+00, 1.0625e+00), (6.25e-02, 1.65625e+00)], [(-2.78125e+00, -5.875e+00), (4.96875e+00, -9.375e-02), (1.3125e+00, 3.1875e+00)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-1.0625e+00, -1.03125e+00), (1.0e+00, -1.78125e+00), (1.25e-01, 7.5e-01)], [(-2.3125e+00, -2.71875e+00), (2.5e-01, -8.4375e-01), (8.4375e-01, 3.125e-02)], [(4.46875e+00, 3.375e+00), (6.375e+00, -4.6875e-01), (-3.375e+00, 2.0625e+00)]]]> : tensor<2x4x3xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_upper_transpose_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(2.5e-01, 1.875e+00), (-3.0e+00, -2.03125e+00), (4.8125e+00, -2.0e+00), (4.53125e+00, 3.875e+00)], [(-9.09375e+00, -4.5625e+00), (-4.90625e+00, 1.125e+00), (3.03125e+00, -6.53125e+00), (5.09375e+00, 1.25e-01)], [(-3.75e-01, 4.15625e+00), (-2.4375e+00, -2.5e-01), (2.46875e+00, -2.9375e+00), (-4.375e-01, -1.34375e+00)]], [[(-1.6875e+00, 3.40625e+00), (6.3125e+00, -1.90625e+00), (-1.25e+00, -1.875e-01), (-8.75e-01, -1.125e+00)], [(-1.4375e+00, -6.03125e+00), (3.09375e+00, 1.25e-01), (4.0625e-01, -5.21875e+00), (-2.75e+00, -7.5e-01)], [(5.28125e+00, 1.71875e+00), (2.03125e+00, -4.6875e-01), (3.9375e+00, -4.125e+00), (8.125e-01, 2.4375e+00)]]]> : tensor<2x3x4xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_upper_adjoint_left() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.9375e+00, 1.5625e+00), (-2.5625e+00, -1.6875e+00), (-1.4375e+00, -1.5625e+00)], [(-1.75e+00, -2.59375e+00), (4.5e+00, 1.0625e+00), (5.625e-01, 3.65625e+00)], [(-5.3125e-01, -3.5e+00), (5.53125e+00, 2.40625e+00), (-1.5625e+00, 1.0625e+00)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-1.875e-01, -5.3125e-01), (3.75e-01, -2.53125e+00), (1.25e-01, 1.25e+00)], [(-1.8125e+00, -1.09375e+00), (-3.5e+00, -2.96875e+00), (2.09375e+00, 7.1875e-01)], [(2.8125e-01, 5.1875e+00), (2.25e+00, 7.8125e-01), (-1.375e+00, -6.25e-02)]]]> : tensor<2x4x3xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4x3xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01)], [(2.0e+00, 1.25e+00), (-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01)], [(1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01), (-1.0e+00, 2.0e+00)], [(-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00)], [(-5.0e-01, -1.0e+00), (5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00)], [(-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00), (1.5e+00, 0.0e+00)], [(1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x4x3xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @complex_f64_upper_adjoint_right() {
  %c0 = stablehlo.constant dense<[[[(2.75e+00, -8.75e-01), (2.5e-01, 7.5e-01), (0.0e+00, -1.0e+00), (-5.0e-01, 1.25e-01)], [(-3.75e-01, -8.75e-01), (1.0e+00, -3.75e-01), (-8.75e-01, 0.0e+00), (-1.0e+00, -1.25e-01)], [(-7.5e-01, -2.5e-01), (6.25e-01, -1.0e+00), (2.375e+00, -1.0e+00), (8.75e-01, -7.5e-01)], [(0.0e+00, -1.0e+00), (2.5e-01, 3.75e-01), (1.0e+00, 0.0e+00), (2.5e+00, 3.75e-01)]], [[(2.25e+00, -5.0e-01), (1.25e-01, 2.5e-01), (1.25e-01, 5.0e-01), (8.75e-01, -2.5e-01)], [(-5.0e-01, -1.25e-01), (2.625e+00, 1.0e+00), (3.75e-01, 6.25e-01), (-1.0e+00, 1.0e+00)], [(-2.5e-01, -2.5e-01), (7.5e-01, 3.75e-01), (2.125e+00, 1.0e+00), (-1.0e+00, 3.75e-01)], [(6.25e-01, 7.5e-01), (5.0e-01, 3.75e-01), (7.5e-01, 3.75e-01), (1.25e+00, -2.5e-01)]]]> : tensor<2x4x4xcomplex<f64>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x4xcomplex<f64>>
  %c1 = stablehlo.constant dense<[[[(-2.25e+00, 3.375e+00), (-2.75e+00, -1.53125e+00), (3.4375e+00, 3.0e+00), (5.46875e+00, 2.375e+00)], [(-4.65625e+00, -3.8125e+00), (-4.28125e+00, 5.0e-01), (6.40625e+00, -1.03125e+00), (4.90625e+00, -1.375e+00)], [(-5.25e+00, 6.59375e+00), (-1.1875e+00, -8.75e-01), (4.21875e+00, -3.125e-01), (-8.125e-01, -1.15625e+00)]], [[(-3.5625e+00, 2.40625e+00), (1.8125e+00, -2.65625e+00), (-2.0e+00, 2.1875e+00), (-3.75e-01, -1.375e+00)], [(-1.875e-01, -4.90625e+00), (9.0625e-01, 5.8125e+00), (-3.84375e+00, -2.1875e-01), (-2.25e+00, -1.75e+00)], [(2.53125e+00, 1.34375e+00), (3.84375e+00, -4.84375e+00), (1.9375e+00, -7.3125e+00), (-1.875e-01, 2.5625e+00)]]]> : tensor<2x3x4xcomplex<f64>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3x4xcomplex<f64>>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
  check.expect_almost_eq_const %r, dense<[[[(0.0e+00, 1.25e+00), (0.0e+00, -7.5e-01), (1.0e+00, -2.5e-01), (2.0e+00, 1.25e+00)], [(-2.0e+00, -1.5e+00), (-1.5e+00, -7.5e-01), (1.25e+00, -1.5e+00), (2.0e+00, -2.5e-01)], [(-1.0e+00, 2.0e+00), (-7.5e-01, -1.5e+00), (1.5e+00, -5.0e-01), (-2.5e-01, -5.0e-01)]], [[(-1.0e+00, 1.75e+00), (1.5e+00, -1.25e+00), (-1.0e+00, 0.0e+00), (-5.0e-01, -1.0e+00)], [(5.0e-01, -2.0e+00), (2.5e-01, 1.0e+00), (-1.75e+00, -1.75e+00), (-2.0e+00, -1.0e+00)], [(1.5e+00, 0.0e+00), (1.0e+00, 0.0e+00), (1.5e+00, -1.75e+00), (2.5e-01, 2.0e+00)]]]> : tensor<2x3x4xcomplex<f64>>, tolerance = 4.000000e-11
  return
}

func.func @no_rows() {
  %c0 = stablehlo.constant dense<> : tensor<2x0x0xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x0x0xf32>
  %c1 = stablehlo.constant dense<> : tensor<2x0x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x0x3xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x0x0xf32>, tensor<2x0x3xf32>) -> tensor<2x0x3xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<2x0x3xf32>, tolerance = 1.000000e-05
  return
}

func.func @no_columns() {
  %c0 = stablehlo.constant dense<[[1.0e+00, 0.0e+00, 0.0e+00], [2.0e+00, 4.0e+00, 0.0e+00], [3.0e+00, 5.0e+00, 6.0e+00]]> : tensor<3x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3x3xf32>
  %c1 = stablehlo.constant dense<> : tensor<3x0xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x0xf32>
  %r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x0xf32>) -> tensor<3x0xf32>
  check.expect_almost_eq_const %r, dense<> : tensor<3x0xf32>, tolerance = 1.000000e-05
  return
}
