// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2xi64>) -> tensor<4x5xi64> {
  %0 = "stablehlo.dynamic_iota"(%arg0) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<4x5xi64>
  return %0 : tensor<4x5xi64>
}

// -----

func.func @accepted_dynamic(%arg0: tensor<1xindex>) -> tensor<?xf32> {
  %0 = "stablehlo.dynamic_iota"(%arg0) {iota_dimension = 0 : i64} : (tensor<1xindex>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @c1(%arg0: tensor<2xi64>) -> tensor<4x5xi64> {
  // expected-error@+1 {{C1: iota_dimension must be in [0, 2), found 2}}
  %0 = "stablehlo.dynamic_iota"(%arg0) {iota_dimension = 2 : i64} : (tensor<2xi64>) -> tensor<4x5xi64>
  return %0 : tensor<4x5xi64>
}

// -----

func.func @c2(%arg0: tensor<1xi64>) -> tensor<4x5xi64> {
  // expected-error@+1 {{C2: output_shape must have size 2 (the rank of result), found 1}}
  %0 = "stablehlo.dynamic_iota"(%arg0) {iota_dimension = 0 : i64} : (tensor<1xi64>) -> tensor<4x5xi64>
  return %0 : tensor<4x5xi64>
}

// -----

func.func @accepted_constant_shape() -> tensor<3xf32> {
  %s = stablehlo.constant dense<[3]> : tensor<1xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @accepted_computed_shape(%n: tensor<1xi32>) -> tensor<3xf32> {
  %s = stablehlo.convert %n : (tensor<1xi32>) -> tensor<1xi64>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @constant_shape() -> tensor<4xf32> {
  %s = stablehlo.constant dense<[3]> : tensor<1xi64>
  // expected-error@+1 {{result of output_shape [3] must have shape [3], found [4]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @constant_shape_of_small_integers() -> tensor<4xf32> {
  %s = stablehlo.constant dense<[3]> : tensor<1xi4>
  // expected-error@+1 {{result of output_shape [3] must have shape [3], found [4]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi4>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @negative_shape() -> tensor<4xf32> {
  %s = stablehlo.constant dense<[-1]> : tensor<1xi64>
  // expected-error@+1 {{output_shape must be at least 0, found [-1]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @converted_shape() -> tensor<4xf32> {
  %c = stablehlo.constant dense<[3]> : tensor<1xi32>
  %s = stablehlo.convert %c : (tensor<1xi32>) -> tensor<1xi64>
  // expected-error@+1 {{result of output_shape [3] must have shape [3], found [4]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shape_that_wraps() -> tensor<4xf32> {
  %c = stablehlo.constant dense<[4294967299]> : tensor<1xi64>
  %n = stablehlo.convert %c : (tensor<1xi64>) -> tensor<1xi32>
  %s = stablehlo.convert %n : (tensor<1xi32>) -> tensor<1xi64>
  // expected-error@+1 {{result of output_shape [3] must have shape [3], found [4]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @reshaped_shape() -> tensor<4xf32> {
  %c = stablehlo.constant dense<3> : tensor<i64>
  %s = stablehlo.reshape %c : (tensor<i64>) -> tensor<1xi64>
  // expected-error@+1 {{result of output_shape [3] must have shape [3], found [4]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @repeated_shape() -> tensor<4xf32> {
  %c = stablehlo.constant dense<3> : tensor<i64>
  %s = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<1xi64>
  // expected-error@+1 {{result of output_shape [3] must have shape [3], found [4]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @joined_shape(%x: tensor<5xf32>) -> tensor<4x5xf32> {
  %c = stablehlo.constant dense<[3]> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<5xf32>) -> tensor<i32>
  %d = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %c, %d, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  // expected-error@+1 {{result of output_shape [3, 5] must have shape [3, 5], found [4, 5]}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @output_shape_of_unknown_size(%arg0: tensor<?xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{output_shape must be 1-dimensional tensor of integer or index type of known size, found tensor<?xi32>}}
  %0 = "stablehlo.dynamic_iota"(%arg0) {iota_dimension = 0 : i64} : (tensor<?xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
