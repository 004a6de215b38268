// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xi64>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>) {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<2x3xf32>
}

// -----

func.func @accepted_from_the_end(%arg0: tensor<2x3xi64>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>) {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = -2 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<2x3xf32>
}

// -----

func.func @accepted_defaults(%arg0: tensor<2x3xi64>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>) {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) : (tensor<2x3xi64>, tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<2x3xf32>
}

// -----

func.func @c1() -> tensor<i64> {
  // expected-error@+1 {{C1: must have at least one input, found 0}}
  %0 = "stablehlo.sort"() ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64, is_stable = true} : () -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @c2_c3(%arg0: tensor<2x3xi64>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xi32>) {
  // expected-error@+1 {{C2, C3: result 1 must have type tensor<2x3xf32>, found tensor<2x3xi32>}}
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<2x3xi32>
}

// -----

func.func @c3(%arg0: tensor<2x3xi64>, %arg1: tensor<3x2xf32>) -> (tensor<2x3xi64>, tensor<3x2xf32>) {
  // expected-error@+1 {{C3: inputs must have one shape, found tensor<2x3xi64>, tensor<3x2xf32>}}
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<3x2xf32>) -> (tensor<2x3xi64>, tensor<3x2xf32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<3x2xf32>
}

// -----

func.func @c4(%arg0: tensor<2x3xi64>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>) {
  // expected-error@+1 {{C4: dimension must be in [-2, 2), found 2}}
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = 2 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<2x3xf32>
}

// -----

func.func @c4_2(%arg0: tensor<2x3xi64>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>) {
  // expected-error@+1 {{C4: dimension must be in [-2, 2), found -3}}
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>, %x2: tensor<f32>, %x3: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = -3 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<2x3xf32>
}

// -----

func.func @c4_scalar(%arg0: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{C4: inputs must have a dimension to sort along, found tensor<f32>}}
  %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %less = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }) {dimension = -1 : i64} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @c5(%arg0: tensor<2x3xi64>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>) {
  // expected-error@+1 {{C5: comparator must have type (tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<i1>), found (tensor<i64>, tensor<i64>)}}
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %ge = "stablehlo.compare"(%lhs, %rhs) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%ge) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64, is_stable = true} : (tensor<2x3xi64>, tensor<2x3xf32>) -> (tensor<2x3xi64>, tensor<2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xi64>, tensor<2x3xf32>
}

// -----

func.func @c5_2(%arg0: tensor<3xi64>) -> tensor<3xi64> {
  // expected-error@+1 {{C5: comparator must have type (tensor<i64>, tensor<i64>) -> (tensor<i1>), found (tensor<i64>, tensor<i64>) -> (tensor<i64>)}}
  %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%lhs: tensor<i64>, %rhs: tensor<i64>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%sum) : (tensor<i64>) -> ()
  }) {dimension = 0 : i64, is_stable = true} : (tensor<3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
