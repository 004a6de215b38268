// select_and_scatter: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x2xi32>
  %c1 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xi32>
  %c2 = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<i32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>
  check.expect_eq_const %r, dense<[[0, 0], [0, 0], [5, 14], [7, 0]]> : tensor<4x2xi32>
  return
}

func.func @overlapping() {
  %c0 = stablehlo.constant dense<[[2.4e+01, 2.3e+01, 3.3e+01, 7.0e+00, 5.0e+00, 3.4e+01, 2.7e+01], [6.0e+00, 3.0e+00, 9.0e+00, 2.8e+01, 1.2e+01, 3.7e+01, 3.9e+01], [1.0e+01, 1.4e+01, 3.2e+01, 1.6e+01, 1.5e+01, 4.0e+01, 3.8e+01], [2.0e+01, 2.2e+01, 4.1e+01, 2.0e+00, 2.5e+01, 1.8e+01, 1.1e+01], [2.6e+01, 1.3e+01, 0.0e+00, 4.0e+00, 1.7e+01, 1.9e+01, 2.1e+01], [2.9e+01, 3.1e+01, 3.0e+01, 3.5e+01, 3.6e+01, 8.0e+00, 1.0e+00]]> : tensor<6x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x7xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<4x5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x5xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x7xf32>, tensor<4x5xf32>, tensor<f32>) -> tensor<6x7xf32>
  check.expect_eq_const %r, dense<[[2.0e+00, 2.0e+00, 8.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.9e+01, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+01, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 1.1e+01, 2.0e+00, 2.0e+00]]> : tensor<6x7xf32>
  return
}

func.func @overlapping_padded() {
  %c0 = stablehlo.constant dense<[[2.4e+01, 2.3e+01, 3.3e+01, 7.0e+00, 5.0e+00, 3.4e+01, 2.7e+01], [6.0e+00, 3.0e+00, 9.0e+00, 2.8e+01, 1.2e+01, 3.7e+01, 3.9e+01], [1.0e+01, 1.4e+01, 3.2e+01, 1.6e+01, 1.5e+01, 4.0e+01, 3.8e+01], [2.0e+01, 2.2e+01, 4.1e+01, 2.0e+00, 2.5e+01, 1.8e+01, 1.1e+01], [2.6e+01, 1.3e+01, 0.0e+00, 4.0e+00, 1.7e+01, 1.9e+01, 2.1e+01], [2.9e+01, 3.1e+01, 3.0e+01, 3.5e+01, 3.6e+01, 8.0e+00, 1.0e+00]]> : tensor<6x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x7xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00], [2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00]]> : tensor<6x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<6x4xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 2>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x7xf32>, tensor<6x4xf32>, tensor<f32>) -> tensor<6x7xf32>
  check.expect_eq_const %r, dense<[[8.0e+00, 2.0e+00, 5.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 5.0e+00, 1.1e+01], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 1.0e+01, 3.0e+00], [2.0e+00, 6.0e+00, 1.4e+01, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [5.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 1.1e+01], [2.0e+00, 5.0e+00, 2.0e+00, 4.0e+00, 9.0e+00, 2.0e+00, 2.0e+00]]> : tensor<6x7xf32>
  return
}

func.func @apart() {
  %c0 = stablehlo.constant dense<[[2.4e+01, 2.3e+01, 3.3e+01, 7.0e+00, 5.0e+00, 3.4e+01, 2.7e+01], [6.0e+00, 3.0e+00, 9.0e+00, 2.8e+01, 1.2e+01, 3.7e+01, 3.9e+01], [1.0e+01, 1.4e+01, 3.2e+01, 1.6e+01, 1.5e+01, 4.0e+01, 3.8e+01], [2.0e+01, 2.2e+01, 4.1e+01, 2.0e+00, 2.5e+01, 1.8e+01, 1.1e+01], [2.6e+01, 1.3e+01, 0.0e+00, 4.0e+00, 1.7e+01, 1.9e+01, 2.1e+01], [2.9e+01, 3.1e+01, 3.0e+01, 3.5e+01, 3.6e+01, 8.0e+00, 1.0e+00]]> : tensor<6x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x7xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 3, 3>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x7xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<6x7xf32>
  check.expect_eq_const %r, dense<[[3.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 4.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 6.0e+00, 2.0e+00, 2.0e+00], [5.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00]]> : tensor<6x7xf32>
  return
}

func.func @whole() {
  %c0 = stablehlo.constant dense<[[2.4e+01, 2.3e+01, 3.3e+01, 7.0e+00, 5.0e+00, 3.4e+01, 2.7e+01], [6.0e+00, 3.0e+00, 9.0e+00, 2.8e+01, 1.2e+01, 3.7e+01, 3.9e+01], [1.0e+01, 1.4e+01, 3.2e+01, 1.6e+01, 1.5e+01, 4.0e+01, 3.8e+01], [2.0e+01, 2.2e+01, 4.1e+01, 2.0e+00, 2.5e+01, 1.8e+01, 1.1e+01], [2.6e+01, 1.3e+01, 0.0e+00, 4.0e+00, 1.7e+01, 1.9e+01, 2.1e+01], [2.9e+01, 3.1e+01, 3.0e+01, 3.5e+01, 3.6e+01, 8.0e+00, 1.0e+00]]> : tensor<6x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x7xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00]]> : tensor<1x1xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x1xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 6, 7>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x7xf32>, tensor<1x1xf32>, tensor<f32>) -> tensor<6x7xf32>
  check.expect_eq_const %r, dense<[[2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 3.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00]]> : tensor<6x7xf32>
  return
}

func.func @single_elements() {
  %c0 = stablehlo.constant dense<[[2.4e+01, 2.3e+01, 3.3e+01, 7.0e+00, 5.0e+00, 3.4e+01, 2.7e+01], [6.0e+00, 3.0e+00, 9.0e+00, 2.8e+01, 1.2e+01, 3.7e+01, 3.9e+01], [1.0e+01, 1.4e+01, 3.2e+01, 1.6e+01, 1.5e+01, 4.0e+01, 3.8e+01], [2.0e+01, 2.2e+01, 4.1e+01, 2.0e+00, 2.5e+01, 1.8e+01, 1.1e+01], [2.6e+01, 1.3e+01, 0.0e+00, 4.0e+00, 1.7e+01, 1.9e+01, 2.1e+01], [2.9e+01, 3.1e+01, 3.0e+01, 3.5e+01, 3.6e+01, 8.0e+00, 1.0e+00]]> : tensor<6x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x7xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00], [2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00]]> : tensor<6x7xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<6x7xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x7xf32>, tensor<6x7xf32>, tensor<f32>) -> tensor<6x7xf32>
  check.expect_eq_const %r, dense<[[3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 6.0e+00, 7.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00], [7.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00], [3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 3.0e+00, 4.0e+00]]> : tensor<6x7xf32>
  return
}

func.func @negative_padding() {
  %c0 = stablehlo.constant dense<[[2.4e+01, 2.3e+01, 3.3e+01, 7.0e+00, 5.0e+00, 3.4e+01, 2.7e+01], [6.0e+00, 3.0e+00, 9.0e+00, 2.8e+01, 1.2e+01, 3.7e+01, 3.9e+01], [1.0e+01, 1.4e+01, 3.2e+01, 1.6e+01, 1.5e+01, 4.0e+01, 3.8e+01], [2.0e+01, 2.2e+01, 4.1e+01, 2.0e+00, 2.5e+01, 1.8e+01, 1.1e+01], [2.6e+01, 1.3e+01, 0.0e+00, 4.0e+00, 1.7e+01, 1.9e+01, 2.1e+01], [2.9e+01, 3.1e+01, 3.0e+01, 3.5e+01, 3.6e+01, 8.0e+00, 1.0e+00]]> : tensor<6x7xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<6x7xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00]]> : tensor<4x4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x4xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, padding = dense<[[-1, 0], [0, -2]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x7xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<6x7xf32>
  check.expect_eq_const %r, dense<[[2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 6.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 3.0e+00, 7.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 7.0e+00, 1.1e+01, 2.0e+00, 7.0e+00, 2.0e+00, 2.0e+00], [6.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 9.0e+00, 2.0e+00, 7.0e+00, 3.0e+00, 2.0e+00, 2.0e+00]]> : tensor<6x7xf32>
  return
}

func.func @i8() {
  %c0 = stablehlo.constant dense<[[6, 18, 7, 10], [2, 11, 0, 17], [19, 16, 9, 12], [5, 15, 13, 14], [3, 4, 8, 1]]> : tensor<5x4xi8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x4xi8>
  %c1 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 1, 2, 3], [4, 5, 1, 2], [3, 4, 5, 1]]> : tensor<4x4xi8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x4xi8>
  %c2 = stablehlo.constant dense<2> : tensor<i8>
  %2 = stablehlo.optimization_barrier %c2 : tensor<i8>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<5x4xi8>, tensor<4x4xi8>, tensor<i8>) -> tensor<5x4xi8>
  check.expect_eq_const %r, dense<[[2, 8, 2, 2], [2, 2, 2, 11], [17, 3, 2, 2], [2, 14, 2, 5], [2, 2, 2, 2]]> : tensor<5x4xi8>
  return
}

func.func @ui32() {
  %c0 = stablehlo.constant dense<[[6, 18, 7, 10], [2, 11, 0, 17], [19, 16, 9, 12], [5, 15, 13, 14], [3, 4, 8, 1]]> : tensor<5x4xui32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x4xui32>
  %c1 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 1, 2, 3], [4, 5, 1, 2], [3, 4, 5, 1]]> : tensor<4x4xui32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x4xui32>
  %c2 = stablehlo.constant dense<2> : tensor<ui32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<ui32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<ui32>, %b: tensor<ui32>):
    %s = stablehlo.add %a, %b : tensor<ui32>
    stablehlo.return %s : tensor<ui32>
  }) : (tensor<5x4xui32>, tensor<4x4xui32>, tensor<ui32>) -> tensor<5x4xui32>
  check.expect_eq_const %r, dense<[[2, 8, 2, 2], [2, 2, 2, 11], [17, 3, 2, 2], [2, 14, 2, 5], [2, 2, 2, 2]]> : tensor<5x4xui32>
  return
}

func.func @i64() {
  %c0 = stablehlo.constant dense<[[6, 18, 7, 10], [2, 11, 0, 17], [19, 16, 9, 12], [5, 15, 13, 14], [3, 4, 8, 1]]> : tensor<5x4xi64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x4xi64>
  %c1 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 1, 2, 3], [4, 5, 1, 2], [3, 4, 5, 1]]> : tensor<4x4xi64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x4xi64>
  %c2 = stablehlo.constant dense<2> : tensor<i64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<i64>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) : (tensor<5x4xi64>, tensor<4x4xi64>, tensor<i64>) -> tensor<5x4xi64>
  check.expect_eq_const %r, dense<[[2, 8, 2, 2], [2, 2, 2, 11], [17, 3, 2, 2], [2, 14, 2, 5], [2, 2, 2, 2]]> : tensor<5x4xi64>
  return
}

func.func @bf16() {
  %c0 = stablehlo.constant dense<[[6.000000e+00, 1.800000e+01, 7.000000e+00, 1.000000e+01], [2.000000e+00, 1.100000e+01, 0.000000e+00, 1.700000e+01], [1.900000e+01, 1.600000e+01, 9.000000e+00, 1.200000e+01], [5.000000e+00, 1.500000e+01, 1.300000e+01, 1.400000e+01], [3.000000e+00, 4.000000e+00, 8.000000e+00, 1.000000e+00]]> : tensor<5x4xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x4xbf16>
  %c1 = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00, 1.000000e+00]]> : tensor<4x4xbf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x4xbf16>
  %c2 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
  %2 = stablehlo.optimization_barrier %c2 : tensor<bf16>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %p = stablehlo.compare GE, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<5x4xbf16>, tensor<4x4xbf16>, tensor<bf16>) -> tensor<5x4xbf16>
  check.expect_eq_const %r, dense<[[2.000000e+00, 8.000000e+00, 2.000000e+00, 2.000000e+00], [2.000000e+00, 2.000000e+00, 2.000000e+00, 1.100000e+01], [1.700000e+01, 3.000000e+00, 2.000000e+00, 2.000000e+00], [2.000000e+00, 1.400000e+01, 2.000000e+00, 5.000000e+00], [2.000000e+00, 2.000000e+00, 2.000000e+00, 2.000000e+00]]> : tensor<5x4xbf16>
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[[6.0e+00, 1.8e+01, 7.0e+00, 1.0e+01], [2.0e+00, 1.1e+01, 0.0e+00, 1.7e+01], [1.9e+01, 1.6e+01, 9.0e+00, 1.2e+01], [5.0e+00, 1.5e+01, 1.3e+01, 1.4e+01], [3.0e+00, 4.0e+00, 8.0e+00, 1.0e+00]]> : tensor<5x4xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x4xf64>
  %c1 = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00, 1.0e+00]]> : tensor<4x4xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4x4xf64>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f64>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f64>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<4x4xf64>, tensor<f64>) -> tensor<5x4xf64>
  check.expect_eq_const %r, dense<[[2.0e+00, 8.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 1.1e+01], [1.7e+01, 3.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 1.4e+01, 2.0e+00, 5.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00]]> : tensor<5x4xf64>
  return
}

func.func @three_dimensions() {
  %c0 = stablehlo.constant dense<[[[2.2e+01, 2.0e+01, 1.9e+01], [1.4e+01, 1.6e+01, 7.0e+00], [6.0e+00, 2.3e+01, 1.2e+01], [1.8e+01, 2.0e+00, 1.1e+01]], [[1.0e+01, 1.3e+01, 0.0e+00], [1.5e+01, 2.1e+01, 1.7e+01], [9.0e+00, 5.0e+00, 3.0e+00], [4.0e+00, 8.0e+00, 1.0e+00]]]> : tensor<2x4x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4x3xf32>
  %c1 = stablehlo.constant dense<[[[1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 1.0e+00]], [[2.0e+00, 3.0e+00, 4.0e+00], [5.0e+00, 1.0e+00, 2.0e+00]]]> : tensor<2x2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2x3xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [0, 0], [1, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x4x3xf32>, tensor<2x2x3xf32>, tensor<f32>) -> tensor<2x4x3xf32>
  check.expect_eq_const %r, dense<[[[5.0e+00, 5.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 8.0e+00, 2.0e+00], [6.0e+00, 2.0e+00, 2.0e+00]], [[2.0e+00, 2.0e+00, 2.0e+00], [4.0e+00, 9.0e+00, 2.0e+00], [8.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 4.0e+00, 2.0e+00]]]> : tensor<2x4x3xf32>
  return
}

func.func @smallest() {
  %c0 = stablehlo.constant dense<[[6.0e+00, 1.8e+01, 7.0e+00, 1.0e+01], [2.0e+00, 1.1e+01, 0.0e+00, 1.7e+01], [1.9e+01, 1.6e+01, 9.0e+00, 1.2e+01], [5.0e+00, 1.5e+01, 1.3e+01, 1.4e+01], [3.0e+00, 4.0e+00, 8.0e+00, 1.0e+00]]> : tensor<5x4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x4xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 2.0e+00, 3.0e+00], [4.0e+00, 5.0e+00, 1.0e+00], [2.0e+00, 3.0e+00, 4.0e+00]]> : tensor<3x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3x3xf32>
  %c2 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x4xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<5x4xf32>
  check.expect_eq_const %r, dense<[[2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [7.0e+00, 2.0e+00, 1.3e+01, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [2.0e+00, 2.0e+00, 2.0e+00, 2.0e+00], [4.0e+00, 5.0e+00, 2.0e+00, 6.0e+00]]> : tensor<5x4xf32>
  return
}

func.func @no_source() {
  %c0 = stablehlo.constant dense<[[1, 5], [2, 5], [3, 6], [4, 4]]> : tensor<4x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4x2xi32>
  %c1 = stablehlo.constant dense<> : tensor<0x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<0x2xi32>
  %c2 = stablehlo.constant dense<3> : tensor<i32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<i32>
  %r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 5, 1>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4x2xi32>, tensor<0x2xi32>, tensor<i32>) -> tensor<4x2xi32>
  check.expect_eq_const %r, dense<[[3, 3], [3, 3], [3, 3], [3, 3]]> : tensor<4x2xi32>
  return
}
