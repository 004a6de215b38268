// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @accepted_no_vector(%arg0: tensor<8xf32>, %arg1: tensor<5xi32>, %arg2: tensor<5xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @accepted_two(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>, %arg2: tensor<5xi64>, %arg3: tensor<5xf32>, %arg4: tensor<5xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<f32>, tensor<i32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<8xi32>, tensor<5xi64>, tensor<5xf32>, tensor<5xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// -----

func.func @c1(%arg0: tensor<8xf32>, %arg1: tensor<9xi32>, %arg2: tensor<5xi64>, %arg3: tensor<5xf32>, %arg4: tensor<5xi32>) -> (tensor<8xf32>, tensor<9xi32>) {
  // expected-error@+1 {{C1: inputs must have one shape, found tensor<8xf32>, tensor<9xi32>}}
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<f32>, tensor<i32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<9xi32>, tensor<5xi64>, tensor<5xf32>, tensor<5xi32>) -> (tensor<8xf32>, tensor<9xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<9xi32>
}

// -----

func.func @c2(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C2: update_window_dims, inserted_window_dims and input_batching_dims must together have size 4 (the rank of inputs), found 3}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c3(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>, %arg2: tensor<5xi64>, %arg3: tensor<5xf32>, %arg4: tensor<6xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  // expected-error@+1 {{C3: updates must have one shape, found tensor<5xf32>, tensor<6xi32>}}
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<i32>, %x2: tensor<f32>, %x3: tensor<i32>):
      "stablehlo.return"(%lhs, %rhs) : (tensor<f32>, tensor<i32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<8xi32>, tensor<5xi64>, tensor<5xf32>, tensor<6xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}

// -----

func.func @c4(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2x1xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C4: updates must have 3 scatter and 2 window dimensions, found tensor<2x3x5x2x2x1xf32>}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2x1xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c4_2(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x6x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C4: scatter dimensions of updates must have sizes [2, 3, 5], found [2, 3, 6]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x6x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c4_3(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x3xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C4: window of updates must be in [0, 2] at dimension 1, found 3}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x3xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c5(%arg0: tensor<2x3x5x2xi64>) -> tensor<f32> {
  // expected-error@+1 {{C5: must have at least one input, found 0}}
  %0 = "stablehlo.scatter"(%arg0) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<2x3x5x2xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @c6(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf64>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C6: updates[0] and inputs[0] must have one element type, found f64, f32}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf64>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c7(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C7: update_window_dims must be sorted, found [4, 3]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [4, 3], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c7_2(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C7: update_window_dims must be unique, found [3, 3]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 3], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c8(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C8: update_window_dims must be in [0, 5), found [3, 5]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 5], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c9(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C9: inserted_window_dims and input_batching_dims must be unique, found [1, 1]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [1], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c10(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C10: inserted_window_dims must be sorted, found [2, 0]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [2, 0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c11(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C11: inserted_window_dims must be in [0, 4), found [4]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [4], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c12(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C12: input_batching_dims must be sorted, found [1, 0]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2, 3], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c13(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C13: input_batching_dims must be in [0, 4), found [-1]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [-1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c14(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C14: scatter_indices_batching_dims must be unique, found [0, 0]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c15(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C15: scatter_indices_batching_dims must be in [0, 4), found [4]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c16(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C16: index_vector_dim must not be among scatter_indices_batching_dims, found 3 in [3]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c17(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C17: input_batching_dims must have size 2 (that of scatter_indices_batching_dims), found 1}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c18(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C18: batching dimensions of operand and indices must have the same sizes, found [2] and [3]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c19(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C19: scatter_dims_to_operand_dims must have size 2 (the number of components of an index), found 1}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c20(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C20: scatter_dims_to_operand_dims and input_batching_dims must be unique, found [2, 2, 1]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 2], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c21(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C21: scatter_dims_to_operand_dims must be in [0, 4), found [2, 4]}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 4], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c22(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C22: index_vector_dim must be in [0, 5), found -1}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = -1>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c23(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32> {
  // expected-error@+1 {{C23: update_computation must have type (tensor<f32>, tensor<f32>) -> (tensor<f32>)}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<i32>, %rhs: tensor<i32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%sum) : (tensor<i32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf32>
  return %0 : tensor<3x2x4x2xf32>
}

// -----

func.func @c24_c25(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x3xf32> {
  // expected-error@+1 {{C24, C25: result must have type tensor<3x2x4x2xf32>, found tensor<3x2x4x3xf32>}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x3xf32>
  return %0 : tensor<3x2x4x3xf32>
}

// -----

func.func @c24_c25_2(%arg0: tensor<3x2x4x2xf32>, %arg1: tensor<2x3x5x2xi64>, %arg2: tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf64> {
  // expected-error@+1 {{C24, C25: result must have type tensor<3x2x4x2xf32>, found tensor<3x2x4x2xf64>}}
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %sum = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3, 4], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 3>} : (tensor<3x2x4x2xf32>, tensor<2x3x5x2xi64>, tensor<2x3x5x2x2xf32>) -> tensor<3x2x4x2xf64>
  return %0 : tensor<3x2x4x2xf64>
}
