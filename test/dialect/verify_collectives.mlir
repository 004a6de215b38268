// RUN: hlo-opt %s --verify-diagnostics
// Collectives: groups, dimensions, computations, result types.

func.func @all_gather(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'stablehlo.all_gather' op C1: all_gather_dim must be in [0, 2), found 2}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op C2: replica_groups must be unique, found 1 twice}}
  %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op C4: replica_groups must be in [0, 2), found 2}}
  %2 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op C5: use_global_device_ids must come with a channel_id above 0, found 0}}
  %3 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op C6: result must have type tensor<2x6xf32>, found tensor<4x3xf32>}}
  %4 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op C4: replica_groups must be in [0, 4), found -1}}
  %5 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

func.func @all_reduce(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.all_reduce' op C1: replica_groups must be unique, found 0 twice}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }, {}) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.all_reduce' op C5: computation must have type (tensor<f32>, tensor<f32>) -> (tensor<f32>), found (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)}}
  %1 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }, {}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.all_reduce' op C6: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %2 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.all_reduce' op region computation must end with stablehlo.return}}
  %3 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  }, {}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @all_to_all(%a: tensor<4x6xf32>) {
  // expected-error @+1 {{'stablehlo.all_to_all' op C1: split_dimension must be in [0, 2), found -1}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = -1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C2: size 6 of split_dimension must be a multiple of split_count 4}}
  %1 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C3: concat_dimension must be in [0, 2), found 2}}
  %2 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C4: split_count must be above 0, found 0}}
  %3 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C6: groups must have split_count 2 members, found 3}}
  %4 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C8: result must have type tensor<8x3xf32>, found tensor<4x6xf32>}}
  %5 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %6 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

func.func @collective_permute(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.collective_permute' op C1: source_target_pairs must have 2 columns, found 3}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_permute' op C2: sources of source_target_pairs must be unique, found 0 twice}}
  %1 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_permute' op C3: targets of source_target_pairs must be unique, found 2 twice}}
  %2 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 2], [1, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_permute' op C4: source_target_pairs must not be negative, found -1}}
  %3 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_permute' op C5: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %4 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  %5 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @collective_broadcast(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.collective_broadcast' op C1: replica_groups must be unique, found 0 twice}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_broadcast' op C3: result must have type tensor<2xf32>, found tensor<2xf64>}}
  %1 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf64>
  // expected-error @+1 {{'stablehlo.collective_broadcast' op C2: replica_groups must not be negative, found -1}}
  %2 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @dynamic_root(%a: tensor<2xf32>, %b: tensor<3xf64>, %r: tensor<2xi32>, %s: tensor<i32>) {
  %0:2 = "stablehlo.collective_broadcast"(%a, %b, %r) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<3xf64>, tensor<2xi32>) -> (tensor<2xf32>, tensor<3xf64>)
  // expected-error @+1 {{'stablehlo.collective_broadcast' op the last operand (the roots) must have size 1 (one a value), found 2}}
  %1 = "stablehlo.collective_broadcast"(%a, %r) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_broadcast' op the last operand (the roots) must be of type tensor<1xi32>, found tensor<i32>}}
  %2 = "stablehlo.collective_broadcast"(%a, %s) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_broadcast' op must have at least one value, found 0}}
  "stablehlo.collective_broadcast"(%r) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xi32>) -> ()
  return
}

func.func @collective_reduce(%a: tensor<2xi8>) {
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    "stablehlo.return"(%x) : (tensor<i32>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi8>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.collective_reduce' op computation must have type (tensor<i8>, tensor<i8>) -> (tensor<i8>), found (tensor<f32>, tensor<f32>) -> (tensor<f32>)}}
  %1 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi8>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.collective_reduce' op result must have type tensor<2xi8>, found tensor<3xi8>}}
  %2 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    "stablehlo.return"(%x) : (tensor<i8>) -> ()
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi8>) -> tensor<3xi8>
  return
}

func.func @reduce_scatter(%a: tensor<5xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C1: size 5 of scatter_dimension must be a multiple of the group size 2}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {}) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C2: scatter_dimension must be in [0, 1), found 1}}
  %1 = "stablehlo.reduce_scatter"(%b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {}) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C7: computation must have type (tensor<f32>, tensor<f32>) -> (tensor<f32>), found (tensor<f32>) -> (tensor<f32>)}}
  %2 = "stablehlo.reduce_scatter"(%b) ({
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {}) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C8: result must have type tensor<2xf32>, found tensor<4xf32>}}
  %3 = "stablehlo.reduce_scatter"(%b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {}) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func @process_numbers() {
  // expected-error @+1 {{'stablehlo.replica_id' op result must be tensor<ui32>, found tensor<i32>}}
  %0 = "stablehlo.replica_id"() : () -> tensor<i32>
  %1 = "stablehlo.partition_id"() : () -> tensor<ui32>
  return
}

func.func @async(%a: tensor<2xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %1 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    "stablehlo.return"(%1) : (tensor<2xf32>) -> ()
  }, {}) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  // expected-error @+1 {{'stablehlo.async_start' op body must be one operation (all_gather, all_reduce, all_to_all, collective_broadcast, collective_permute, reduce_scatter, slice, dynamic_slice, dynamic_update_slice) and a return, found stablehlo.add}}
  %4 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %5 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "stablehlo.return"(%5) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  // expected-error @+1 {{and a return, found a return only}}
  %6 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  // expected-error @+1 {{'stablehlo.async_start' op body must use its own arguments only, found %arg0}}
  %7 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %8 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    "stablehlo.return"(%8) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.async_done' op results must be those of the future, (tensor<2xf32>), found (tensor<3xf32>)}}
  %3 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<3xf32>
  return
}
