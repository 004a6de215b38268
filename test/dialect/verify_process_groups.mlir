// RUN: hlo-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// Process groups: their sizes, unused entries, axes of a mesh.

// A channel without global ids: each group has all partitions of its replicas, however many there are.
// CHECK-LABEL: func.func @partitions_are_not_counted
func.func @partitions_are_not_counted(%a: tensor<2x2xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x2xf32>) -> tensor<2x8xf32>
  %1 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  return %0, %1 : tensor<2x8xf32>, tensor<2x1xf32>
}

// -----

func.func @result_is_a_multiple(%a: tensor<2x2xf32>) {
  // expected-error @+1 {{'stablehlo.all_gather' op C6: size 5 of all_gather_dim in result must be a multiple of operand's 2}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x2xf32>) -> tensor<2x5xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C8: size 3 of scatter_dimension in result must divide operand's 2}}
  %1 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unused_entries(%a: tensor<2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.all_reduce' op C3: replica_groups must be in [0, 3), found 3}}
  %1 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [3, -1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.reduce_scatter' op C5: replica_groups must be in [0, 2), found -1}}
  %2 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<1xf32>
  // expected-error @+1 {{'stablehlo.all_to_all' op C6: groups must have split_count 2 members, found 3}}
  %3 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<0> : tensor<0x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op use_global_device_ids must come with replica_groups that are not empty}}
  %4 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @accumulation_types(%a: tensor<4xi32>, %b: tensor<4xi8>) {
  // expected-error @+1 {{'stablehlo.all_reduce' op C5: computation must have type (tensor<i32>, tensor<i32>) -> (tensor<i32>), found (tensor<i8>, tensor<i8>) -> (tensor<i8>)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    stablehlo.return %x : tensor<i8>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xi32>) -> tensor<4xi8>
  %1 = "stablehlo.all_reduce"(%b) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xi8>) -> tensor<4xi32>
  return
}

// -----

// CHECK-LABEL: func.func @mesh_axes
// CHECK: #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>
// CHECK: device_ids = dense<[1, 0]> : tensor<2xi64>
// CHECK: mesh = @devices, axes = [#stablehlo.axis_ref<name = "a">, #stablehlo.axis_ref<name = "b">]
func.func @mesh_axes(%a: tensor<2xf32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>} : (tensor<2xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @devices, axes = [#stablehlo.axis_ref<name = "a">, #stablehlo.axis_ref<name = "b">]>} : (tensor<2xf32>) -> tensor<12xf32>
  return
}

// -----

func.func @mesh_axes(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.all_gather' op C6: result must have type tensor<4xf32>, found tensor<8xf32>}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2xf32>) -> tensor<8xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op replica_groups: axes must be those of the mesh (x), found y}}
  %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<2xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op replica_groups: axes must be different, found x twice}}
  %2 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>]>} : (tensor<2xf32>) -> tensor<16xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op replica_groups: a part of axis x must divide its size 4, found (3)2}}
  %3 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (3)2>]>} : (tensor<2xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op replica_groups: axes of the mesh must have different names}}
  %4 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op replica_groups: axes of the mesh must have sizes of at least 1, found {'x': 0}}}
  %5 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 0>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'stablehlo.all_gather' op replica_groups: device_ids of the mesh must be the numbers from 0 to 1, found [0, 2]}}
  %6 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[0, 2]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<2xf32>) -> tensor<4xf32>
  // expected-error @+1 {{attribute 'replica_groups' must be matrix of i64 (dense<...> : tensor<NxMxi64>) or #stablehlo.replica_group_mesh_axes<...>, found "x"}}
  %7 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = "x"} : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @nothing_to_gather(%arg0: tensor<2x0xf32>) -> tensor<2x0xf32> {
  // expected-error@+1 {{C6: size of all_gather_dim in operand must be at least 1, found 0}}
  %0 = "stablehlo.all_gather"(%arg0) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x0xf32>) -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}

// -----

func.func @nothing_to_scatter(%arg0: tensor<0x2xf32>) -> tensor<0x2xf32> {
  // expected-error@+1 {{C8: sizes of scatter_dimension must be at least 1, found [0, 0] in operand and result}}
  %0 = "stablehlo.reduce_scatter"(%arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<0x2xf32>) -> tensor<0x2xf32>
  return %0 : tensor<0x2xf32>
}
