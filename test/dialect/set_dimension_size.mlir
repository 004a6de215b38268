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
