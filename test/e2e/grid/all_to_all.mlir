// grid/all_to_all: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @columns_to_rows() {
  %c0 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4xi32>
  %c1 = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4xi32>
  %r0, %r1 = "interpreter.run_parallel"(%0, %1) {programs = [[@columns_to_rows_program], [@columns_to_rows_program]]} : (tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>)
  check.expect_eq_const %r0, dense<[[1, 2], [5, 6], [9, 10], [13, 14]]> : tensor<4x2xi32>
  check.expect_eq_const %r1, dense<[[3, 4], [7, 8], [11, 12], [15, 16]]> : tensor<4x2xi32>
  return
}

func.func private @columns_to_rows_program(%x: tensor<2x4xi32>) -> tensor<4x2xi32> {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xi32>) -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}

func.func @other_order() {
  %c0 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4xi32>
  %c1 = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4xi32>
  %r0, %r1 = "interpreter.run_parallel"(%0, %1) {programs = [[@other_order_program], [@other_order_program]]} : (tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<4x2xi32>, tensor<4x2xi32>)
  check.expect_eq_const %r0, dense<[[11, 12], [15, 16], [3, 4], [7, 8]]> : tensor<4x2xi32>
  check.expect_eq_const %r1, dense<[[9, 10], [13, 14], [1, 2], [5, 6]]> : tensor<4x2xi32>
  return
}

func.func private @other_order_program(%x: tensor<2x4xi32>) -> tensor<4x2xi32> {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2x4xi32>) -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}

func.func @one_dimension() {
  %c0 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4xi32>
  %c1 = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4xi32>
  %r0, %r1 = "interpreter.run_parallel"(%0, %1) {programs = [[@one_dimension_program], [@one_dimension_program]]} : (tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>)
  check.expect_eq_const %r0, dense<[[1, 2, 3, 4], [9, 10, 11, 12]]> : tensor<2x4xi32>
  check.expect_eq_const %r1, dense<[[5, 6, 7, 8], [13, 14, 15, 16]]> : tensor<2x4xi32>
  return
}

func.func private @one_dimension_program(%x: tensor<2x4xi32>) -> tensor<2x4xi32> {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xi32>) -> tensor<2x4xi32>
  return %r : tensor<2x4xi32>
}

func.func @partitions() {
  %c0 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x4xi32>
  %c1 = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x4xi32>
  %c2 = stablehlo.constant dense<[[17, 18, 19, 20], [21, 22, 23, 24]]> : tensor<2x4xi32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<2x4xi32>
  %c3 = stablehlo.constant dense<[[25, 26, 27, 28], [29, 30, 31, 32]]> : tensor<2x4xi32>
  %3 = stablehlo.optimization_barrier %c3 : tensor<2x4xi32>
  %r0, %r1, %r2, %r3 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@partitions_program, @partitions_program], [@partitions_program, @partitions_program]]} : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>)
  check.expect_eq_const %r0, dense<[[1, 2, 3, 4, 9, 10, 11, 12]]> : tensor<1x8xi32>
  check.expect_eq_const %r1, dense<[[5, 6, 7, 8, 13, 14, 15, 16]]> : tensor<1x8xi32>
  check.expect_eq_const %r2, dense<[[17, 18, 19, 20, 25, 26, 27, 28]]> : tensor<1x8xi32>
  check.expect_eq_const %r3, dense<[[21, 22, 23, 24, 29, 30, 31, 32]]> : tensor<1x8xi32>
  return
}

func.func private @partitions_program(%x: tensor<2x4xi32>) -> tensor<1x8xi32> {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x4xi32>) -> tensor<1x8xi32>
  return %r : tensor<1x8xi32>
}
