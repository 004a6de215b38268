// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @accepted_defaults(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @accepted_no_window_fits(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<0x2xi64> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 4, 1>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<0x2xi64>
  return %0 : tensor<0x2xi64>
}

// -----

func.func @accepted_scalar(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {window_dimensions = array<i64>, window_strides = array<i64>, base_dilations = array<i64>, window_dilations = array<i64>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @c1() -> tensor<2x2xi64> {
  // expected-error@+1 {{C1: must have at least one input, found 0}}
  %0 = "stablehlo.reduce_window"() ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c2(%arg0: tensor<3x2xf32>, %arg1: tensor<2x3xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  // expected-error@+1 {{C2: inputs must have one shape, found tensor<3x2xf32>, tensor<2x3xi32>}}
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<f32>, tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<2x2xi32>
}

// -----

func.func @c3(%arg0: tensor<3x2xi64>, %arg1: tensor<i32>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C3: inputs[0] and init_values[0] must have one element type, found i64, i32}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i32>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c4(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C4: window_dimensions must have size 2 (the rank of inputs), found 1}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c5(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C5: window_dimensions must be at least 1, found [0, 1]}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 0, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c6(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C6: window_strides must have size 2 (the rank of inputs), found 3}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c7(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C7: window_strides must be at least 1, found [0, 1]}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 0, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c8(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C8: base_dilations must have size 2 (the rank of inputs), found 1}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c9(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C9: base_dilations must be at least 1, found [2, -1]}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, -1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c10(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C10: window_dilations must have size 2 (the rank of inputs), found 1}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c11(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C11: window_dilations must be at least 1, found [0, 1]}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 0, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c12(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C12: padding must have shape [2, 2] (the rank of inputs), found [1, 2]}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c12_2(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C12: padding must have shape [2, 2] (the rank of inputs), found [2, 1]}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2], [1]]> : tensor<2x1xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c13(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C13: body must have type (tensor<i64>, tensor<i64>) -> (tensor<i64>)}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%sum) : (tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c14_c15_c16(%arg0: tensor<3x2xf32>, %arg1: tensor<3x2xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<2x2xf32>, tensor<2x3xi32>) {
  // expected-error@+1 {{C14, C15, C16: result 1 must have type tensor<2x2xi32>, found tensor<2x3xi32>}}
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<f32>, tensor<i32>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<2x3xi32>
}

// -----

func.func @c14_c15_c16_2(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<1x2xi64> {
  // expected-error@+1 {{C14, C15, C16: result must have type tensor<2x2xi64>, found tensor<1x2xi64>}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<1x2xi64>
  return %0 : tensor<1x2xi64>
}

// -----

func.func @c14_c15_c16_3(%arg0: tensor<3x2xi64>, %arg1: tensor<i64>) -> tensor<2x2xi32> {
  // expected-error@+1 {{C14, C15, C16: result must have type tensor<2x2xi64>, found tensor<2x2xi32>}}
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 3, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<3x2xi64>, tensor<i64>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
