// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted_free(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) -> tensor<11x7xf32> {
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @accepted_group_sizes_of_each_batch(%l: tensor<2x11x5xf32>, %r: tensor<3x2x5x7xf32>, %g: tensor<2x3xi64>) -> tensor<2x11x7xf32> {
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<2x3xi64>) -> tensor<2x11x7xf32>
  return %0 : tensor<2x11x7xf32>
}

// -----

func.func @accepted_contracting(%l: tensor<11x5xf32>, %r: tensor<11x7xf32>, %g: tensor<3xi64>) -> tensor<3x5x7xf32> {
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<11x5xf32>, tensor<11x7xf32>, tensor<3xi64>) -> tensor<3x5x7xf32>
  return %0 : tensor<3x5x7xf32>
}

// -----

func.func @accepted_batching(%l: tensor<3x11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) -> tensor<3x11x7xf32> {
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<3x11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<3x11x7xf32>
  return %0 : tensor<3x11x7xf32>
}

// -----

func.func @group_dimension_is_batching(%l: tensor<3x11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) -> tensor<3x11x7xf32> {
  // expected-error@+1 {{rhs_batching_dimensions, rhs_contracting_dimensions and rhs_group_dimensions must be unique, found [0, 1, 0]}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<3x11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<3x11x7xf32>
  return %0 : tensor<3x11x7xf32>
}

// -----

func.func @group_dimension_is_contracting(%l: tensor<11x3xf32>, %r: tensor<3x3x7xf32>, %g: tensor<3xi64>) -> tensor<11x7xf32> {
  // expected-error@+1 {{rhs_batching_dimensions, rhs_contracting_dimensions and rhs_group_dimensions must be unique, found [1, 1]}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>} : (tensor<11x3xf32>, tensor<3x3x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @lhs_dimensions_twice(%l: tensor<3x5xf32>, %r: tensor<3x3x7xf32>, %g: tensor<3xi64>) -> tensor<3x7xf32> {
  // expected-error@+1 {{lhs_batching_dimensions and lhs_contracting_dimensions must be unique, found [0, 0]}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [2]>} : (tensor<3x5xf32>, tensor<3x3x7xf32>, tensor<3xi64>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

func.func @no_group_dimension(%l: tensor<11x5xf32>, %r: tensor<5x7xf32>, %g: tensor<3xi64>) -> tensor<11x7xf32> {
  // expected-error@+1 {{rhs_group_dimensions must have size 1 (the ragged dimension is free), found 0}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<11x5xf32>, tensor<5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @group_dimension_of_contracting(%l: tensor<11x5xf32>, %r: tensor<3x11x7xf32>, %g: tensor<3xi64>) -> tensor<3x5x7xf32> {
  // expected-error@+1 {{rhs_group_dimensions must have size 0 (the ragged dimension is batching or contracting), found 1}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x11x7xf32>, tensor<3xi64>) -> tensor<3x5x7xf32>
  return %0 : tensor<3x5x7xf32>
}

// -----

func.func @number_of_groups(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<2xi64>) -> tensor<11x7xf32> {
  // expected-error@+1 {{group_sizes must have 3 groups (the size of the group dimension of rhs), found 2}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<2xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @rank_of_group_sizes(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3x2xi64>) -> tensor<11x7xf32> {
  // expected-error@+1 {{group_sizes must have shape [groups] or [] and groups, found [3, 2]}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3x2xi64>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @outer_sizes_of_group_sizes(%l: tensor<2x11x5xf32>, %r: tensor<3x2x5x7xf32>, %g: tensor<4x3xi64>) -> tensor<2x11x7xf32> {
  // expected-error@+1 {{group_sizes must have shape [groups] or [2] and groups, found [4, 3]}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<4x3xi64>) -> tensor<2x11x7xf32>
  return %0 : tensor<2x11x7xf32>
}

// -----

func.func @result_of_another_shape(%a: tensor<3x11x5xf32>, %b: tensor<3x5x7xf32>, %n: tensor<3xi64>) -> tensor<3xf32> {
  // expected-error@+1 {{result must have type tensor<3x11x7xf32>, found tensor<3xf32>}}
  %0 = "chlo.ragged_dot"(%a, %b, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<3x11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
