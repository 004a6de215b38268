// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<4x2xf32>, %arg1: tensor<i32>) -> tensor<4x?xf32> {
  %0 = "stablehlo.set_dimension_size"(%arg0, %arg1) {dimension = 1 : i64} : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

func.func @dimension(%arg0: tensor<4x2xf32>, %arg1: tensor<i32>) -> tensor<4x?xf32> {
  // expected-error@+1 {{dimension: dimension must be in [0, 2), found 2}}
  %0 = "stablehlo.set_dimension_size"(%arg0, %arg1) {dimension = 2 : i64} : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

func.func @result(%arg0: tensor<4x2xf32>, %arg1: tensor<i32>) -> tensor<5x?xf32> {
  // expected-error@+1 {{result: result must have type tensor<4x?xf32>, found tensor<5x?xf32>}}
  %0 = "stablehlo.set_dimension_size"(%arg0, %arg1) {dimension = 1 : i64} : (tensor<4x2xf32>, tensor<i32>) -> tensor<5x?xf32>
  return %0 : tensor<5x?xf32>
}

// -----

func.func @accepted_constant(%a: tensor<4xf32>) -> tensor<?xf32> {
  %n = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @size_too_large(%a: tensor<4xf32>) -> tensor<?xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  // expected-error@+1 {{size: size must be in [0, 4] (that of operand), found 5}}
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @size_not_that_of_result(%a: tensor<4xf32>) -> tensor<4xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  // expected-error@+1 {{size: dimension 0 of result must have size 2, found 4}}
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
