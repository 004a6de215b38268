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
