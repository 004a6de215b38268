// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xi64>) -> tensor<i32> {
  %0 = "stablehlo.get_dimension_size"(%arg0) {dimension = 1 : i64} : (tensor<2x3xi64>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @c1(%arg0: tensor<2x3xi64>) -> tensor<i32> {
  // expected-error@+1 {{C1: dimension must be in [0, 2), found 2}}
  %0 = "stablehlo.get_dimension_size"(%arg0) {dimension = 2 : i64} : (tensor<2x3xi64>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @c1_2(%arg0: tensor<2x3xi64>) -> tensor<i32> {
  // expected-error@+1 {{C1: dimension must be in [0, 2), found -1}}
  %0 = "stablehlo.get_dimension_size"(%arg0) {dimension = -1 : i64} : (tensor<2x3xi64>) -> tensor<i32>
  return %0 : tensor<i32>
}
