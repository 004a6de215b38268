// RUN: hlo-opt %s --verify-diagnostics
// Clauses that share a label with others, each broken by itself; groups and channels of every collective; sizes past 2^63;
// algorithms of dot_general.

func.func @parts(%c: tensor<2xcomplex<f32>>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.abs' op C1, C2: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %0 = "stablehlo.abs"(%c) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.real' op C1, C2: result must have type tensor<2xf32>, found tensor<2xf64>}}
  %1 = "stablehlo.real"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  // expected-error @+1 {{'stablehlo.imag' op C1, C2: result must have type tensor<2xf32>, found tensor<2x1xf32>}}
  %2 = "stablehlo.imag"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2x1xf32>
  %3 = "stablehlo.imag"(%c) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.complex' op C2, C3: result must have type tensor<2xcomplex<f32>>, found tensor<3xcomplex<f32>>}}
  %4 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xcomplex<f32>>
  %5 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return
}

func.func @batch_norm_grad_c3(%a: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{C3, C4: result 0 must have type tensor<2x3xf32>, found tensor<3x3xf32>}}
  %0:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

func.func @case_c4(%i: tensor<i32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.case' op C3, C4: branch 0 must return the result types (tensor<3xf32>), found (tensor<2xf32>)}}
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<3xf32>
  %1 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  return
}

func.func @if_accepted(%p: tensor<i1>, %a: tensor<2xf32>, %t: !stablehlo.token) {
  %0:2 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> ()
  }, {
    "stablehlo.return"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> ()
  }) : (tensor<i1>) -> (tensor<2xf32>, !stablehlo.token)
  return
}

func.func @recv(%t: !stablehlo.token) {
  // expected-error @+1 {{'stablehlo.recv' op C2, C3: the last result must be a token, found no results}}
  "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> ()
  return
}

func.func @transfers_accepted(%t: !stablehlo.token, %a: tensor<2xf32>) {
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.infeed"(%0) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %2 = "stablehlo.outfeed"(%1#0, %1#1) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %3:2 = "stablehlo.optimization_barrier"(%1#0, %2) : (tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

func.func @tuples(%a: tensor<2xf32>, %t: !stablehlo.token, %i: index) {
  // expected-error @+1 {{'stablehlo.tuple' op C1, C2: result must have type tuple<tensor<2xf32>, !stablehlo.token>, found tuple<!stablehlo.token, tensor<2xf32>>}}
  %0 = "stablehlo.tuple"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> tuple<!stablehlo.token, tensor<2xf32>>
  %1 = "stablehlo.tuple"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> tuple<tensor<2xf32>, !stablehlo.token>
  %2 = "stablehlo.tuple"(%1) : (tuple<tensor<2xf32>, !stablehlo.token>) -> tuple<tuple<tensor<2xf32>, !stablehlo.token>>
  %3 = "stablehlo.tuple"() : () -> tuple<>
  // expected-error @+1 {{'stablehlo.tuple' op val[0] must be tensor, token, buffer (memref) or tuple, found index}}
  %4 = "stablehlo.tuple"(%i) : (index) -> tuple<index>
  return
}

func.func @select_and_scatter_c5(%a: tensor<4x2xi64>, %s: tensor<2x2xi64>, %z: tensor<i64>) {
  // expected-error @+1 {{C1, C5: window_dimensions must have size 2 (the rank of operand), found 3}}
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %1 = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    "stablehlo.return"(%x) : (tensor<i64>) -> ()
  }) {window_dimensions = array<i64: 3, 1, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<4x2xi64>
  return
}

func.func @sort_c3(%a: tensor<2x3xi64>) {
  // expected-error @+1 {{C2, C3: result must have type tensor<2x3xi64>, found tensor<3x2xi64>}}
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %1 = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }) {dimension = 0 : i64} : (tensor<2x3xi64>) -> tensor<3x2xi64>
  return
}

func.func @sizes(%a: tensor<4611686018427387904xi1>, %z: tensor<i1>) {
  // expected-error @+1 {{'stablehlo.concatenate' op C6: sizes of result must be in [0, 2^63), found [9223372036854775808]}}
  %0 = "stablehlo.concatenate"(%a, %a) {dimension = 0 : i64} : (tensor<4611686018427387904xi1>, tensor<4611686018427387904xi1>) -> tensor<1xi1>
  // expected-error @+1 {{'stablehlo.reduce_window' op C15: sizes of result must be in [0, 2^63)}}
  %1 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<i1>, %y: tensor<i1>):
    "stablehlo.return"(%x) : (tensor<i1>) -> ()
  }) {window_dimensions = array<i64: 1>, padding = dense<[[4611686018427387904, 4611686018427387904]]> : tensor<1x2xi64>} : (tensor<4611686018427387904xi1>, tensor<i1>) -> tensor<1xi1>
  return
}

func.func @groups(%a: tensor<4x6xf32>) {
  // expected-error @+1 {{'stablehlo.all_reduce' op C3: replica_groups must be in [0, 2), found 2}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{'stablehlo.all_reduce' op C4: use_global_device_ids must come with a channel_id above 0, found 0}}
  %1 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C3: replica_groups must be unique, found 1 twice}}
  %3 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C5: replica_groups must be in [0, 2), found -2}}
  %4 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C6: use_global_device_ids must come with a channel_id above 0, found 0}}
  %5 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %6 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C5: replica_groups must be unique, found 0 twice}}
  %7 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C7: replica_groups must be in [0, 2), found 3}}
  %8 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 3]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  // expected-error @+1 {{'stablehlo.collective_broadcast' op C2: replica_groups must not be negative, found -1}}
  %9 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %10 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

func.func @algorithms(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'stablehlo.dot_general' op C21: precision_config must be DEFAULT when algorithm is given, found HIGHEST, DEFAULT}}
  %1 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'stablehlo.dot_general' op C22, C23, C24: lhs_component_count must be at least 1, found 0}}
  %2 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'stablehlo.dot_general' op C22, C23, C24: rhs_component_count must be at least 1, found -1}}
  %3 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = -1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'stablehlo.dot_general' op C22, C23, C24: num_primitive_operations must be at least 1, found 0}}
  %4 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

func.func @dynamic_gather_c23(%a: tensor<3x4xf32>, %i: tensor<5x1xi64>, %s: tensor<2xi64>) {
  // expected-error @+1 {{C22, C23: result must have type tensor<5x?xf32>, found tensor<5x4xf64>}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<5x1xi64>, tensor<2xi64>) -> tensor<5x4xf64>
  // expected-error @+1 {{C22, C23: result must have type tensor<5x?xf32>, found tensor<6x4xf32>}}
  %1 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x4xf32>, tensor<5x1xi64>, tensor<2xi64>) -> tensor<6x4xf32>
  return
}

func.func @accepted(%a: tensor<2xf32>, %i: index, %s: tensor<2xi32>) {
  %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>
  %1 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.compute_reshape_shape"(%i, %s) : (index, tensor<2xi32>) -> tensor<2xi32>
  %3 = "stablehlo.cstr_reshapable"(%i, %s) : (index, tensor<2xi32>) -> !shape.witness
  return
}

func.func @pairs(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{'stablehlo.send' op targets of source_target_pairs must be unique, found 1 twice}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
