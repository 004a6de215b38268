// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<8x128x3xf32>, %arg1: tensor<8x10xi32>) -> tensor<8x10x3xf32> {
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<8x128x3xf32>, tensor<8x10xi32>) -> tensor<8x10x3xf32>
  return %0 : tensor<8x10x3xf32>
}

// -----

func.func @accepted_no_batch(%arg0: tensor<5x4xf32>, %arg1: tensor<2xi32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<5x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @dim(%arg0: tensor<8x128x3xf32>, %arg1: tensor<8x10xi32>) -> tensor<8x10x3xf32> {
  // expected-error@+1 {{dim: dim must be in [0, 3), found 3}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 3 : i64, batch_dims = 1 : i64} : (tensor<8x128x3xf32>, tensor<8x10xi32>) -> tensor<8x10x3xf32>
  return %0 : tensor<8x10x3xf32>
}

// -----

func.func @batch_dims(%arg0: tensor<8x128x3xf32>, %arg1: tensor<8x10xi32>) -> tensor<8x10x3xf32> {
  // expected-error@+1 {{batch_dims: batch_dims must be in [0, 2), found 2}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 1 : i64, batch_dims = 2 : i64} : (tensor<8x128x3xf32>, tensor<8x10xi32>) -> tensor<8x10x3xf32>
  return %0 : tensor<8x10x3xf32>
}

// -----

func.func @batch_dims_2(%arg0: tensor<8x128x3xf32>, %arg1: tensor<7x10xi32>) -> tensor<8x10x3xf32> {
  // expected-error@+1 {{batch_dims: batching dimensions of operand and indices must have the same sizes, found [8] and [7]}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<8x128x3xf32>, tensor<7x10xi32>) -> tensor<8x10x3xf32>
  return %0 : tensor<8x10x3xf32>
}

// -----

func.func @result(%arg0: tensor<8x128x3xf32>, %arg1: tensor<8x10xi32>) -> tensor<8x9x3xf32> {
  // expected-error@+1 {{result: result must have type tensor<8x10x3xf32>, found tensor<8x9x3xf32>}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<8x128x3xf32>, tensor<8x10xi32>) -> tensor<8x9x3xf32>
  return %0 : tensor<8x9x3xf32>
}

// -----

func.func @nothing_to_select_from(%arg0: tensor<0x4xf32>, %arg1: tensor<2xi32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{operand: operand must have elements in dimension 0, as result tensor<2x4xf32> has some, found size 0}}
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<0x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @accepted_nothing_selected(%arg0: tensor<0x4xf32>, %arg1: tensor<0xi32>, %arg2: tensor<0x0xf32>, %arg3: tensor<2xi32>) {
  %0 = "stablehlo.torch_index_select"(%arg0, %arg1) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<0x4xf32>, tensor<0xi32>) -> tensor<0x4xf32>
  %1 = "stablehlo.torch_index_select"(%arg2, %arg3) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<0x0xf32>, tensor<2xi32>) -> tensor<2x0xf32>
  return
}
