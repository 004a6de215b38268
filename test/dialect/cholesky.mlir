// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

// -----

func.func @accepted_complex(%arg0: tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>> {
  %0 = "stablehlo.cholesky"(%arg0) : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  return %0 : tensor<3x3xcomplex<f64>>
}

// -----

func.func @c1(%arg0: tensor<3x3xf32>) -> tensor<3x3xf64> {
  // expected-error@+1 {{C1: result must have type tensor<3x3xf32>, found tensor<3x3xf64>}}
  %0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<3x3xf32>) -> tensor<3x3xf64>
  return %0 : tensor<3x3xf64>
}

// -----

func.func @c2(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{C2: a must have rank 2 or more, found tensor<3xf32>}}
  %0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @c3(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-error@+1 {{C3: a must have two last dimensions of one size, found tensor<3x4xf32>}}
  %0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
