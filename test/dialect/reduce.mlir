// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1xi64> {
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @accepted_no_dimension(%arg0: tensor<6xi64>, %arg1: tensor<i64>) -> tensor<6xi64> {
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64>} : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  return %0 : tensor<6xi64>
}

// -----

// The accumulation may run in a wider element type.
func.func @accepted_promotion(%arg0: tensor<6xf32>, %arg1: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<f64>, %rhs: tensor<f64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%sum) : (tensor<f64>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<6xf32>, tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

func.func @accepted_two(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0:2 = "stablehlo.reduce"(%arg0, %arg1, %arg2, %arg3) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<f32>, tensor<i32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}

// -----

func.func @c1(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>) {
  // expected-error@+1 {{C1: inputs must have one shape, found tensor<2x3xf32>, tensor<3x2xi32>}}
  %0:2 = "stablehlo.reduce"(%arg0, %arg1, %arg2, %arg3) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<f32>, tensor<i32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}

// -----

func.func @c2(%arg0: tensor<1x6xi64>, %arg1: tensor<i32>) -> tensor<1xi64> {
  // expected-error@+1 {{C2: inputs[0] and init_values[0] must have one element type, found i64, i32}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i32>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @c3() -> tensor<i64> {
  // expected-error@+1 {{C3: must have at least one input, found 0}}
  %0 = "stablehlo.reduce"() ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64>} : () -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @c4(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1x6xi64> {
  // expected-error@+1 {{C4: dimensions must be in [0, 2), found [2]}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 2>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1x6xi64>
  return %0 : tensor<1x6xi64>
}

// -----

func.func @c4_2(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1x6xi64> {
  // expected-error@+1 {{C4: dimensions must be in [0, 2), found [-1]}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: -1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1x6xi64>
  return %0 : tensor<1x6xi64>
}

// -----

func.func @c5(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1xi64> {
  // expected-error@+1 {{C5: dimensions must be unique, found [1, 1]}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 1, 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @c6(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1xi64> {
  // expected-error@+1 {{C6: body must have type (tensor<i64>, tensor<i64>) -> (tensor<i64>), found (tensor<i32>, tensor<i32>) -> (tensor<i32>)}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%sum) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @c6_2(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1xi64> {
  // expected-error@+1 {{C6: body must have type (tensor<i64>, tensor<i64>) -> (tensor<i64>), found (tensor<i64>) -> (tensor<i64>)}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>):
      "stablehlo.return"(%lhs) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @c6_3(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1xi64> {
  // expected-error@+1 {{C6: body must have type (tensor<i64>, tensor<i64>) -> (tensor<i64>)}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @c7_c8(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<6xi64> {
  // expected-error@+1 {{C7, C8: result must have type tensor<1xi64>, found tensor<6xi64>}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<6xi64>
  return %0 : tensor<6xi64>
}

// -----

func.func @c7_c8_2(%arg0: tensor<1x6xi64>, %arg1: tensor<i64>) -> tensor<1xi32> {
  // expected-error@+1 {{C7, C8: result must have type tensor<1xi64>, found tensor<1xi32>}}
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 1>} : (tensor<1x6xi64>, tensor<i64>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
