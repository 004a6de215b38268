// RUN: hlo-opt %s --verify-diagnostics --split-input-file
// A bound says how large an unknown size may be: what needs more than that is wrong for every size.

func.func @cut_to_the_bound(%a: tensor<?x6xf32, #stablehlo.bounds<5, ?>>) -> tensor<5x6xf32> {
  %0 = stablehlo.slice %a [0:5, 0:6] : (tensor<?x6xf32, #stablehlo.bounds<5, ?>>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

func.func @cut_behind_the_bound(%a: tensor<?x6xf32, #stablehlo.bounds<5, ?>>) {
  // expected-error @+1 {{dimension 0 must have 0 <= start_indices <= limit_indices <= 5, found 3 and 6}}
  %0 = stablehlo.slice %a [3:6, 0:6] : (tensor<?x6xf32, #stablehlo.bounds<5, ?>>) -> tensor<3x6xf32>
  return
}

// -----

func.func @box_beyond_the_bound(%a: tensor<?xf32, #stablehlo.bounds<5>>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [5] : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<i32>) -> tensor<5xf32>
  // expected-error @+1 {{slice_sizes must be in [0, 5] at dimension 0, found 6}}
  %1 = stablehlo.dynamic_slice %a, %i, sizes = [6] : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<i32>) -> tensor<6xf32>
  return
}

// -----

func.func @update_beyond_the_bound(%a: tensor<?xf32, #stablehlo.bounds<5>>, %u: tensor<6xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{update must be in [0, 5] at dimension 0, found 6}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<6xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----

func.func @slices_beyond_the_bound(%a: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %i: tensor<7x1xi32>) {
  // expected-error @+1 {{slice_sizes must be in [0, 3] at dimension 0, found 4}}
  %0 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 4, 4>} : (tensor<?x4xf32, #stablehlo.bounds<3, ?>>, tensor<7x1xi32>) -> tensor<7x4x4xf32>
  return
}

// -----

func.func @windows_beyond_the_bound(%a: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %i: tensor<7x1xi32>, %u: tensor<7x4x4xf32>) {
  // expected-error @+1 {{window of updates must be in [0, 3] at dimension 0, found 4}}
  %0 = "stablehlo.scatter" (%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x4xf32, #stablehlo.bounds<3, ?>>, tensor<7x1xi32>, tensor<7x4x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @limits_behind_the_bound(%a: tensor<?xf32, #stablehlo.bounds<5>>) {
  %start = stablehlo.constant dense<1> : tensor<1xi32>
  %limit = stablehlo.constant dense<6> : tensor<1xi32>
  // expected-error @+1 {{limit_indices must be at most the sizes of operand, found [6]}}
  %0 = stablehlo.real_dynamic_slice %a, %start, %limit, %start : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @nothing_is_left(%a: tensor<?xf32, #stablehlo.bounds<3>>, %p: tensor<f32>) {
  %0 = stablehlo.pad %a, %p, low = [-3], high = [0], interior = [0] : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<f32>) -> tensor<?xf32>
  // expected-error @+1 {{sizes of result must be in [0, 2^63), found [-1]}}
  %1 = stablehlo.pad %a, %p, low = [-4], high = [0], interior = [0] : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @steps_within_their_bounds(%a: tensor<?x?xf32, #stablehlo.bounds<9, 3>>, %s: tensor<?xf32, #stablehlo.bounds<3>>) {
  // expected-error @+1 {{body}}
  %0:2 = chlo.scan(%a) inits (%s) dimension = 0 {
  ^bb0(%x: tensor<4xf32>, %c: tensor<?xf32, #stablehlo.bounds<3>>):
    stablehlo.return %c, %c : tensor<?xf32, #stablehlo.bounds<3>>, tensor<?xf32, #stablehlo.bounds<3>>
  } : (tensor<?x?xf32, #stablehlo.bounds<9, 3>>, tensor<?xf32, #stablehlo.bounds<3>>) -> (tensor<?x?xf32, #stablehlo.bounds<9, 3>>, tensor<?xf32, #stablehlo.bounds<3>>)
  return
}
