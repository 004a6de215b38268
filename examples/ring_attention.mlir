module @jit_ring attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<2x64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<2x64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg2: tensor<2x64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<2x64x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}, {}]>] manual_axes={"x"} (%arg3: tensor<2x16x16xf32>, %arg4: tensor<2x16x16xf32>, %arg5: tensor<2x16x16xf32>) {
      %1 = stablehlo.broadcast_in_dim %arg4, dims = [1, 2, 3] : (tensor<2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %2 = stablehlo.broadcast_in_dim %arg5, dims = [1, 2, 3] : (tensor<2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1x2x16x16xf32>, tensor<1x2x16x16xf32>) -> tensor<2x2x16x16xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x16x16xf32>
      %7 = stablehlo.slice %3 [0:1, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %8 = stablehlo.reshape %7 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %9 = stablehlo.slice %3 [1:2, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %10 = stablehlo.reshape %9 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %11 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf32>
      %12 = stablehlo.dot_general %arg3, %8, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x16x16xf32>
      %14 = stablehlo.divide %12, %13 : tensor<2x16x16xf32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.maximum across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %16 = stablehlo.convert %4 : tensor<2x16xf32>
      %17 = stablehlo.maximum %16, %15 : tensor<2x16xf32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %20 = stablehlo.subtract %14, %19 : tensor<2x16x16xf32>
      %21 = stablehlo.exponential %20 : tensor<2x16x16xf32>
      %22 = stablehlo.convert %4 : tensor<2x16xf32>
      %23 = stablehlo.subtract %22, %17 : tensor<2x16xf32>
      %24 = stablehlo.exponential %23 : tensor<2x16xf32>
      %25 = stablehlo.multiply %5, %24 : tensor<2x16xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.reduce(%21 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %27 = stablehlo.add %25, %26 : tensor<2x16xf32>
      %28 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %30 = stablehlo.multiply %6, %29 : tensor<2x16x16xf32>
      %31 = stablehlo.dot_general %21, %10, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %32 = stablehlo.add %30, %31 : tensor<2x16x16xf32>
      %33 = stablehlo.slice %11 [0:1, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %34 = stablehlo.reshape %33 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %35 = stablehlo.slice %11 [1:2, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %36 = stablehlo.reshape %35 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %37 = "stablehlo.collective_permute"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf32>
      %38 = stablehlo.dot_general %arg3, %34, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %39 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x16x16xf32>
      %40 = stablehlo.divide %38, %39 : tensor<2x16x16xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %41 = stablehlo.reduce(%40 init: %cst_6) applies stablehlo.maximum across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %42 = stablehlo.maximum %17, %41 : tensor<2x16xf32>
      %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %45 = stablehlo.subtract %40, %44 : tensor<2x16x16xf32>
      %46 = stablehlo.exponential %45 : tensor<2x16x16xf32>
      %47 = stablehlo.subtract %17, %42 : tensor<2x16xf32>
      %48 = stablehlo.exponential %47 : tensor<2x16xf32>
      %49 = stablehlo.multiply %27, %48 : tensor<2x16xf32>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %50 = stablehlo.reduce(%46 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %51 = stablehlo.add %49, %50 : tensor<2x16xf32>
      %52 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %54 = stablehlo.multiply %32, %53 : tensor<2x16x16xf32>
      %55 = stablehlo.dot_general %46, %36, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %56 = stablehlo.add %54, %55 : tensor<2x16x16xf32>
      %57 = stablehlo.slice %37 [0:1, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %58 = stablehlo.reshape %57 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %59 = stablehlo.slice %37 [1:2, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %60 = stablehlo.reshape %59 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %61 = "stablehlo.collective_permute"(%37) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf32>
      %62 = stablehlo.dot_general %arg3, %58, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %cst_8 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %63 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x16x16xf32>
      %64 = stablehlo.divide %62, %63 : tensor<2x16x16xf32>
      %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %65 = stablehlo.reduce(%64 init: %cst_9) applies stablehlo.maximum across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %66 = stablehlo.maximum %42, %65 : tensor<2x16xf32>
      %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %69 = stablehlo.subtract %64, %68 : tensor<2x16x16xf32>
      %70 = stablehlo.exponential %69 : tensor<2x16x16xf32>
      %71 = stablehlo.subtract %42, %66 : tensor<2x16xf32>
      %72 = stablehlo.exponential %71 : tensor<2x16xf32>
      %73 = stablehlo.multiply %51, %72 : tensor<2x16xf32>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %74 = stablehlo.reduce(%70 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %75 = stablehlo.add %73, %74 : tensor<2x16xf32>
      %76 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %78 = stablehlo.multiply %56, %77 : tensor<2x16x16xf32>
      %79 = stablehlo.dot_general %70, %60, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %80 = stablehlo.add %78, %79 : tensor<2x16x16xf32>
      %81 = stablehlo.slice %61 [0:1, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %82 = stablehlo.reshape %81 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %83 = stablehlo.slice %61 [1:2, 0:2, 0:16, 0:16] : (tensor<2x2x16x16xf32>) -> tensor<1x2x16x16xf32>
      %84 = stablehlo.reshape %83 : (tensor<1x2x16x16xf32>) -> tensor<2x16x16xf32>
      %85 = stablehlo.dot_general %arg3, %82, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %cst_11 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
      %86 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x16x16xf32>
      %87 = stablehlo.divide %85, %86 : tensor<2x16x16xf32>
      %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %88 = stablehlo.reduce(%87 init: %cst_12) applies stablehlo.maximum across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %89 = stablehlo.maximum %66, %88 : tensor<2x16xf32>
      %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %92 = stablehlo.subtract %87, %91 : tensor<2x16x16xf32>
      %93 = stablehlo.exponential %92 : tensor<2x16x16xf32>
      %94 = stablehlo.subtract %66, %89 : tensor<2x16xf32>
      %95 = stablehlo.exponential %94 : tensor<2x16xf32>
      %96 = stablehlo.multiply %75, %95 : tensor<2x16xf32>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %97 = stablehlo.reduce(%93 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x16x16xf32>, tensor<f32>) -> tensor<2x16xf32>
      %98 = stablehlo.add %96, %97 : tensor<2x16xf32>
      %99 = stablehlo.broadcast_in_dim %95, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %101 = stablehlo.multiply %80, %100 : tensor<2x16x16xf32>
      %102 = stablehlo.dot_general %93, %84, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
      %103 = stablehlo.add %101, %102 : tensor<2x16x16xf32>
      %104 = stablehlo.broadcast_in_dim %98, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
      %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
      %106 = stablehlo.divide %103, %105 : tensor<2x16x16xf32>
      sdy.return %106 : tensor<2x16x16xf32>
    } : (tensor<2x64x16xf32>, tensor<2x64x16xf32>, tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
    return %0 : tensor<2x64x16xf32>
  }
}
