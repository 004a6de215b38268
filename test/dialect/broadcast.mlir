// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3xi32>) -> tensor<1x2x3xi32> {
  %0 = "stablehlo.broadcast"(%arg0) {broadcast_sizes = array<i64: 1, 2>} : (tensor<3xi32>) -> tensor<1x2x3xi32>
  return %0 : tensor<1x2x3xi32>
}

// -----

func.func @broadcast_sizes(%arg0: tensor<3xi32>) -> tensor<1x3xi32> {
  // expected-error@+1 {{broadcast_sizes: broadcast_sizes must be at least 0, found [-1]}}
  %0 = "stablehlo.broadcast"(%arg0) {broadcast_sizes = array<i64: -1>} : (tensor<3xi32>) -> tensor<1x3xi32>
  return %0 : tensor<1x3xi32>
}

// -----

func.func @result(%arg0: tensor<3xi32>) -> tensor<2x1x3xi32> {
  // expected-error@+1 {{result: result must have type tensor<1x2x3xi32>, found tensor<2x1x3xi32>}}
  %0 = "stablehlo.broadcast"(%arg0) {broadcast_sizes = array<i64: 1, 2>} : (tensor<3xi32>) -> tensor<2x1x3xi32>
  return %0 : tensor<2x1x3xi32>
}
