module @jit_part attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<i32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<64x64xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<f32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0:3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}, {"y"}]>, <@mesh, []>] manual_axes={"x", "y"} (%arg1: tensor<32x32xf32>) {
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %c_0 = stablehlo.constant dense<2> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<32> : tensor<i32>
      %5 = stablehlo.multiply %4, %c_1 : tensor<i32>
      %6 = stablehlo.iota dim = 0 : tensor<32xi32>
      %7 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %8 = stablehlo.add %7, %6 : tensor<32xi32>
      %c_2 = stablehlo.constant dense<1> : tensor<ui32>
      %c_3 = stablehlo.constant dense<2> : tensor<ui32>
      %9 = stablehlo.partition_id : tensor<ui32>
      %10 = stablehlo.divide %9, %c_2 : tensor<ui32>
      %11 = stablehlo.remainder %10, %c_3 : tensor<ui32>
      %12 = stablehlo.convert %11 : (tensor<ui32>) -> tensor<i32>
      %c_4 = stablehlo.constant dense<32> : tensor<i32>
      %13 = stablehlo.multiply %12, %c_4 : tensor<i32>
      %14 = stablehlo.iota dim = 0 : tensor<32xi32>
      %15 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %16 = stablehlo.add %15, %14 : tensor<32xi32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %18 = stablehlo.compare GT, %8, %17, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
      %c_6 = stablehlo.constant dense<63> : tensor<i32>
      %19 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %20 = stablehlo.compare LT, %8, %19, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
      %21 = stablehlo.and %18, %20 : tensor<32xi1>
      %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<32xi1>) -> tensor<32x1xi1>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %23 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %24 = stablehlo.compare GT, %16, %23, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
      %c_8 = stablehlo.constant dense<63> : tensor<i32>
      %25 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<32xi32>
      %26 = stablehlo.compare LT, %16, %25, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
      %27 = stablehlo.and %24, %26 : tensor<32xi1>
      %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<32xi1>) -> tensor<1x32xi1>
      %29 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<32x1xi1>) -> tensor<32x32xi1>
      %30 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<1x32xi1>) -> tensor<32x32xi1>
      %31 = stablehlo.and %29, %30 : tensor<32x32xi1>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %32:4 = stablehlo.while(%iterArg = %31, %iterArg_10 = %c_9, %iterArg_11 = %arg1, %iterArg_12 = %cst) : tensor<32x32xi1>, tensor<i32>, tensor<32x32xf32>, tensor<f32>
      cond {
        %c_13 = stablehlo.constant dense<100> : tensor<i32>
        %33 = stablehlo.compare LT, %iterArg_10, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %cst_14 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
        %34 = stablehlo.compare GT, %iterArg_12, %cst_14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %c_15 = stablehlo.constant dense<false> : tensor<i1>
        %35 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i1>) -> tensor<i1>
        %36 = stablehlo.compare NE, %33, %35, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
        %37 = stablehlo.convert %36 : tensor<i1>
        %38 = stablehlo.and %37, %34 : tensor<i1>
        stablehlo.return %38 : tensor<i1>
      } do {
        %33 = stablehlo.slice %iterArg_11 [0:1, 0:32] : (tensor<32x32xf32>) -> tensor<1x32xf32>
        %34 = stablehlo.slice %iterArg_11 [31:32, 0:32] : (tensor<32x32xf32>) -> tensor<1x32xf32>
        %35 = "stablehlo.collective_permute"(%34) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<1x32xf32>) -> tensor<1x32xf32>
        %36 = "stablehlo.collective_permute"(%33) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[2, 0], [3, 1]]> : tensor<2x2xi64>}> : (tensor<1x32xf32>) -> tensor<1x32xf32>
        %37 = stablehlo.concatenate %35, %iterArg_11, %36, dim = 0 : (tensor<1x32xf32>, tensor<32x32xf32>, tensor<1x32xf32>) -> tensor<34x32xf32>
        %38 = stablehlo.slice %iterArg_11 [0:32, 0:1] : (tensor<32x32xf32>) -> tensor<32x1xf32>
        %39 = stablehlo.slice %iterArg_11 [0:32, 31:32] : (tensor<32x32xf32>) -> tensor<32x1xf32>
        %40 = "stablehlo.collective_permute"(%39) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<32x1xf32>) -> tensor<32x1xf32>
        %41 = "stablehlo.collective_permute"(%38) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [3, 2]]> : tensor<2x2xi64>}> : (tensor<32x1xf32>) -> tensor<32x1xf32>
        %42 = stablehlo.concatenate %40, %iterArg_11, %41, dim = 1 : (tensor<32x1xf32>, tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x34xf32>
        %43 = stablehlo.slice %37 [0:32, 0:32] : (tensor<34x32xf32>) -> tensor<32x32xf32>
        %44 = stablehlo.slice %37 [2:34, 0:32] : (tensor<34x32xf32>) -> tensor<32x32xf32>
        %45 = stablehlo.add %43, %44 : tensor<32x32xf32>
        %46 = stablehlo.slice %42 [0:32, 0:32] : (tensor<32x34xf32>) -> tensor<32x32xf32>
        %47 = stablehlo.add %45, %46 : tensor<32x32xf32>
        %48 = stablehlo.slice %42 [0:32, 2:34] : (tensor<32x34xf32>) -> tensor<32x32xf32>
        %49 = stablehlo.add %47, %48 : tensor<32x32xf32>
        %cst_13 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
        %50 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
        %51 = stablehlo.multiply %50, %49 : tensor<32x32xf32>
        %52 = func.call @_where(%iterArg, %51, %iterArg_11) : (tensor<32x32xi1>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
        %c_14 = stablehlo.constant dense<1> : tensor<i32>
        %53 = stablehlo.add %iterArg_10, %c_14 : tensor<i32>
        %54 = stablehlo.subtract %52, %iterArg_11 : tensor<32x32xf32>
        %55 = stablehlo.abs %54 : tensor<32x32xf32>
        %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %56 = stablehlo.reduce(%55 init: %cst_15) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<f32>
        %57 = "stablehlo.all_reduce"(%56) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
        ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
          %58 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
          stablehlo.return %58 : tensor<f32>
        }) : (tensor<f32>) -> tensor<f32>
        stablehlo.return %iterArg, %53, %52, %57 : tensor<32x32xi1>, tensor<i32>, tensor<32x32xf32>, tensor<f32>
      }
      sdy.return %32#1, %32#2, %32#3 : tensor<i32>, tensor<32x32xf32>, tensor<f32>
    } : (tensor<64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>, tensor<f32>)
    return %0#0, %0#1, %0#2 : tensor<i32>, tensor<64x64xf32>, tensor<f32>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<32x32xf32>, %arg2: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<32x32xi1>, tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
}
