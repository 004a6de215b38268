// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<4x4xi32>, %arg1: tensor<2x4xi32>, %arg2: tensor<i64>, %arg3: tensor<i64>) -> tensor<4x4xi32> {
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x4xi32>, tensor<2x4xi32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @c1(%arg0: tensor<4x4xi32>, %arg1: tensor<2x3xi32>, %arg2: tensor<i64>, %arg3: tensor<i64>) -> tensor<2x3xi32> {
  // expected-error@+1 {{C1: result must have type tensor<4x4xi32>, found tensor<2x3xi32>}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x4xi32>, tensor<2x3xi32>, tensor<i64>, tensor<i64>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @c2(%arg0: tensor<4x4xi32>, %arg1: tensor<2x3xf32>, %arg2: tensor<i64>, %arg3: tensor<i64>) -> tensor<4x4xi32> {
  // expected-error@+1 {{C2: update and operand must have one element type, found f32, i32}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x4xi32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @c3(%arg0: tensor<4x4xi32>, %arg1: tensor<2xi32>, %arg2: tensor<i64>, %arg3: tensor<i64>) -> tensor<4x4xi32> {
  // expected-error@+1 {{C3: update must have rank 2 (that of operand), found 1}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x4xi32>, tensor<2xi32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @c4(%arg0: tensor<4x4xi32>, %arg1: tensor<2x3xi32>, %arg2: tensor<i64>, %arg3: tensor<i64>, %arg4: tensor<i64>) -> tensor<4x4xi32> {
  // expected-error@+1 {{C4: start_indices must have size 2 (the rank of operand), found 3}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<4x4xi32>, tensor<2x3xi32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @c5(%arg0: tensor<4x4xi32>, %arg1: tensor<2x3xi32>, %arg2: tensor<i64>, %arg3: tensor<i32>) -> tensor<4x4xi32> {
  // expected-error@+1 {{C5: start_indices must have one type, found tensor<i64>, tensor<i32>}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x4xi32>, tensor<2x3xi32>, tensor<i64>, tensor<i32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

// -----

func.func @c6(%arg0: tensor<4x4xi32>, %arg1: tensor<2x5xi32>, %arg2: tensor<i64>, %arg3: tensor<i64>) -> tensor<4x4xi32> {
  // expected-error@+1 {{C6: update must be in [0, 4] at dimension 1, found 5}}
  %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x4xi32>, tensor<2x5xi32>, tensor<i64>, tensor<i64>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
