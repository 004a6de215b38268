// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) -> tensor<2x2xi64> {
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %product = "stablehlo.multiply"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%product) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @accepted_other_element_type(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) -> tensor<2x2xi1> {
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi1>
  return %0 : tensor<2x2xi1>
}

// -----

func.func @c1(%arg0: tensor<2x2xi64>, %arg1: tensor<2x3xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C1: inputs and result must have one shape}}
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %product = "stablehlo.multiply"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%product) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi64>, tensor<2x3xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c1_2(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) -> tensor<2x3xi64> {
  // expected-error@+1 {{C1: inputs and result must have one shape}}
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %product = "stablehlo.multiply"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%product) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// -----

func.func @c2() -> tensor<i64> {
  // expected-error@+1 {{C2: must have at least one input, found 0}}
  %0 = "stablehlo.map"() ({
    ^bb0:
      %c = "stablehlo.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
      "stablehlo.return"(%c) : (tensor<i64>) -> ()
  }) {dimensions = array<i64>} : () -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @c3(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C3: dimensions must be [0, 1], found [1, 0]}}
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %product = "stablehlo.multiply"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%product) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 1, 0>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c3_2(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) -> tensor<2x2xi64> {
  // expected-error@+1 {{C3: dimensions must be [0, 1], found [0]}}
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %product = "stablehlo.multiply"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%product) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @c4(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) -> tensor<2x2xi32> {
  // expected-error@+1 {{C4: computation must have type (tensor<i64>, tensor<i64>) -> (tensor<i32>), found (tensor<i32>, tensor<i32>) -> (tensor<i32>)}}
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %product = "stablehlo.multiply"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%product) : (tensor<i32>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

func.func @c1_c4(%arg0: tensor<2x2xi64>, %arg1: tensor<2x2xi64>) -> tensor<2x2xi32> {
  // expected-error@+1 {{C1, C4: result must have type tensor<2x2xi64>, found tensor<2x2xi32>}}
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %product = "stablehlo.multiply"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%product) : (tensor<i64>) -> ()
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
