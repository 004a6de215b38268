// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @accepted_defaults(%arg0: tensor<i64>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<i64> {
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @c5_window_dimensions_missing(%arg0: tensor<4x2xi64>, %arg1: tensor<4x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error @+1 {{'stablehlo.select_and_scatter' op C1, C5: window_dimensions must have size 2 (the rank of operand), found 0}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) : (tensor<4x2xi64>, tensor<4x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c1_c5(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C1, C5: window_dimensions must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c2(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi32>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C2: operand and source must have one element type, found i64, i32}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi32>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c3(%arg0: tensor<4x2xi64>, %arg1: tensor<3x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C3: source must have shape [2, 2], found [3, 2]}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<3x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c4(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i32>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C4: operand and init_value must have one element type, found i64, i32}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i32>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c6(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C6: window_dimensions must be at least 1, found [3, 0]}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 0>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c7(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C7: window_strides must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c8(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C8: window_strides must be at least 1, found [0, 1]}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 0, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c9(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C9: padding must have shape [2, 2] (the rank of operand), found [1, 2]}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c10(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C10: select must have type (tensor<i64>, tensor<i64>) -> (tensor<i1>)}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c11(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<4x2xi64> {
  // expected-error@+1 {{C11: scatter must have type (tensor<i64>, tensor<i64>) -> (tensor<i64>)}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%sum) : (tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return %0 : tensor<4x2xi64>
}

// -----

func.func @c12(%arg0: tensor<4x2xi64>, %arg1: tensor<2x2xi64>, %arg2: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C12: result must have type tensor<4x2xi64>, found tensor<2x2xi64>}}
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }, {
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}
