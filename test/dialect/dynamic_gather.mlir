// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

// Indices of one component need no dimension of their own.
func.func @accepted_no_vector(%arg0: tensor<8xf32>, %arg1: tensor<5xi32>, %arg2: tensor<1xi32>) -> tensor<5xf32> {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<5xi32>, tensor<1xi32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @c1(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C1: offset_dims, collapsed_slice_dims and operand_batching_dims must together have size 4 (the rank of operand), found 3}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c2(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C2: index_vector_dim must be in [0, 5), found 5}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 5>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c3(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C3: start_index_map must have size 2 (the number of components of an index), found 1}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c4(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C4: offset_dims must be unique, found [3, 3]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 3], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c4_2(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C4: offset_dims must be sorted, found [4, 3]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [4, 3], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c5(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C5: offset_dims must be in [0, 5), found [3, 5]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 5], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c6(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C6: collapsed_slice_dims and operand_batching_dims must be unique, found [1, 1]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [1], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c7(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2xf32> {
  // expected-error@+1 {{C7: collapsed_slice_dims must be sorted, found [2, 0]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [2, 0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2xf32>
  return %0 : tensor<2x3x5x2xf32>
}

// -----

func.func @c8(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C8: collapsed_slice_dims must be in [0, 4), found [4]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [4], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c10(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C10: operand_batching_dims must be sorted, found [1, 0]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2, 3], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c11(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C11: operand_batching_dims must be in [0, 4), found [-1]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [-1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c13(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C13: start_indices_batching_dims must be unique, found [0, 0]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0, 0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c14(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C14: start_indices_batching_dims must be in [0, 4), found [4]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [4], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c15(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C15: index_vector_dim must not be among start_indices_batching_dims, found 3 in [3]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [3], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c16(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C16: operand_batching_dims must have size 2 (that of start_indices_batching_dims), found 1}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0, 1], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c17(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C17: batching dimensions of operand and indices must have the same sizes, found [2] and [3]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c18(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C18: start_index_map and operand_batching_dims must be unique, found [2, 2, 1]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 2], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c19(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C19: start_index_map must be in [0, 4), found [2, 4]}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 4], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c20(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<3xi64>) -> tensor<2x3x5x2x2xf32> {
  // expected-error@+1 {{C20: slice_sizes must have size 4 (the rank of operand), found 3}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<3xi64>) -> tensor<2x3x5x2x2xf32>
  return %0 : tensor<2x3x5x2x2xf32>
}

// -----

func.func @c22_c23(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<4xi64>) -> tensor<2x3x5x2x2xf64> {
  // expected-error@+1 {{C22, C23: result must have type}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [3, 4], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<4xi64>) -> tensor<2x3x5x2x2xf64>
  return %0 : tensor<2x3x5x2x2xf64>
}

// -----

func.func @accepted_constant_sizes(%a: tensor<8xf32>, %i: tensor<1x1xi32>) -> tensor<?x?xf32> {
  %p = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %p) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @c21_negative(%a: tensor<8xf32>, %i: tensor<1x1xi32>) -> tensor<?x?xf32> {
  %p = stablehlo.constant dense<-1> : tensor<1xi32>
  // expected-error@+1 {{C21: slice_sizes must be at least 0, found [-1]}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %p) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @c21_large(%a: tensor<8xf32>, %i: tensor<1x1xi32>) -> tensor<?x?xf32> {
  %p = stablehlo.constant dense<9> : tensor<1xi32>
  // expected-error@+1 {{C21: slice_sizes must be in [0, 8] at dimension 0, found 9}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %p) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @c9(%a: tensor<8xf32>, %i: tensor<1x1xi32>) -> tensor<1xf32> {
  %p = stablehlo.constant dense<2> : tensor<1xi32>
  // expected-error@+1 {{C9: slice_sizes at collapsed_slice_dims must be at most 1, found [2]}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %p) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @c12(%a: tensor<1x8xf32>, %i: tensor<1x1xi32>) -> tensor<1x2xf32> {
  %p = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  // expected-error@+1 {{C12: slice_sizes at operand_batching_dims must be at most 1, found [2]}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %p) {dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>} : (tensor<1x8xf32>, tensor<1x1xi32>, tensor<2xi32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

func.func @slice_sizes_of_unknown_number(%arg0: tensor<3x4xf32>, %arg1: tensor<2x1xi32>, %arg2: tensor<?xi32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{slice_sizes must be 1-dimensional tensor of integer type of known size, found tensor<?xi32>}}
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<?xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
