// chlo.ragged_dot: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @groups() {
  %c0 = stablehlo.constant dense<[[-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, -2.0e+00], [-1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00]]> : tensor<6x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x4xf32>
  %c1 = stablehlo.constant dense<[[[-3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00]], [[3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00], [-1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [-3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00]], [[2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00]]]> : tensor<3x4x5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4x5xf32>
  %c2 = stablehlo.constant dense<[2, 0, 3]> : tensor<3xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xi32>
  %r = "chlo.ragged_dot"(%0, %1, %2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>
  check.expect_eq_const %r, dense<[[2.0e+00, 0.0e+00, 5.0e+00, 3.0e+00, 1.0e+00], [-1.0e+01, -1.1e+01, 2.0e+00, 1.0e+00, 7.0e+00], [3.0e+00, 1.0e+01, 3.0e+00, 3.0e+00, -1.1e+01], [-1.0e+01, 5.0e+00, 6.0e+00, 7.0e+00, 1.0e+00], [2.0e+00, -1.0e+01, -1.0e+00, 1.0e+00, 3.0e+00], [0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00]]> : tensor<6x5xf32>
  return
}

func.func @all() {
  %c0 = stablehlo.constant dense<[[-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, -2.0e+00], [-1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00]]> : tensor<6x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x4xf32>
  %c1 = stablehlo.constant dense<[[[-3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00]], [[3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00], [-1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [-3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00]], [[2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00]]]> : tensor<3x4x5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4x5xf32>
  %c2 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xi32>
  %r = "chlo.ragged_dot"(%0, %1, %2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>
  check.expect_eq_const %r, dense<[[2.0e+00, 0.0e+00, 5.0e+00, 3.0e+00, 1.0e+00], [5.0e+00, -1.0e+01, -1.1e+01, 2.0e+00, 1.0e+00], [1.0e+01, 3.0e+00, 3.0e+00, -1.1e+01, -1.1e+01], [-1.0e+01, 5.0e+00, 6.0e+00, 7.0e+00, 1.0e+00], [2.0e+00, -1.0e+01, -1.0e+00, 1.0e+00, 3.0e+00], [-1.0e+00, -1.0e+01, 2.0e+00, 0.0e+00, 5.0e+00]]> : tensor<6x5xf32>
  return
}

func.func @nothing() {
  %c0 = stablehlo.constant dense<[[-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, -2.0e+00, -1.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, -2.0e+00], [-1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00]]> : tensor<6x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x4xf32>
  %c1 = stablehlo.constant dense<[[[-3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00], [2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00]], [[3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00], [-1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [-3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00]], [[2.0e+00, 3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00], [0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, -3.0e+00], [-2.0e+00, -1.0e+00, 0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, -3.0e+00, -2.0e+00, -1.0e+00, 0.0e+00]]]> : tensor<3x4x5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x4x5xf32>
  %c2 = stablehlo.constant dense<[0, 0, 0]> : tensor<3xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xi32>
  %r = "chlo.ragged_dot"(%0, %1, %2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00], [0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00, 0.0e+00]]> : tensor<6x5xf32>
  return
}
