// Reductions whose functions compute in a wider type than that of the operands, and starts that are met several times.
// RUN: hlo-run --check --target=%target %s

func.func @promoted_rows() {
  %c = stablehlo.constant dense<[[-3.0, -2.0, 1.5], [4.0, 5.0, 6.0]]> : tensor<2x3xf8E4M3FN>
  %x = stablehlo.optimization_barrier %c : tensor<2x3xf8E4M3FN>
  %z = stablehlo.constant dense<448.0> : tensor<f8E4M3FN>
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<448.0> : tensor<2xf32>
  return
}

func.func @promoted_windows() {
  %c = stablehlo.constant dense<[100, 100, 100, -1]> : tensor<4xi8>
  %x = stablehlo.optimization_barrier %c : tensor<4xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<4xi8>, tensor<i8>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[200, 300, 199]> : tensor<3xi32>
  return
}

func.func @promoted_scatter() {
  %c = stablehlo.constant dense<[1.5, 2.5, 3.5]> : tensor<3xf16>
  %x = stablehlo.optimization_barrier %c : tensor<3xf16>
  %i = stablehlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[60000.0, 1.0, 60000.0]> : tensor<3xf16>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xf16>, tensor<3x1xi32>, tensor<3xf16>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[2.5, 2.5, 120003.5]> : tensor<3xf32>
  return
}

func.func @promoted_select_and_scatter() {
  %c = stablehlo.constant dense<[1, 5, 2, 7]> : tensor<4xi8>
  %x = stablehlo.optimization_barrier %c : tensor<4xi8>
  %y = stablehlo.constant dense<[100, 101, 102]> : tensor<3xi8>
  %z = stablehlo.constant dense<0> : tensor<i8>
  %r = "stablehlo.select_and_scatter"(%x, %y, %z) ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xi8>, tensor<3xi8>, tensor<i8>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[0, 201, 0, 102]> : tensor<4xi32>
  return
}

// The padding of a window is made of the start: of [1, 2, 3] from a start of 10 the first sum meets it three times.
func.func @start_in_the_padding() {
  %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %x = stablehlo.optimization_barrier %c : tensor<3xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[31, 23, 16]> : tensor<3xi32>
  %q = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %q, dense<10> : tensor<3xi32>
  return
}

// Of booleans from true: the padding of the first window has two of them.
func.func @parity_from_true() {
  %c = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %x = stablehlo.optimization_barrier %c : tensor<3xi1>
  %z = stablehlo.constant dense<true> : tensor<i1>
  %r = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.xor %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>} : (tensor<3xi1>, tensor<i1>) -> tensor<3xi1>
  check.expect_eq_const %r, dense<[false, false, true]> : tensor<3xi1>
  return
}
