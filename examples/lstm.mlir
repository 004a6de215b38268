module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48x128xf32>, %arg1: tensor<128xf32>, %arg2: tensor<20x8x16xf32>) -> (tensor<8x32xf32> {jax.result_info = "result[0][0]"}, tensor<8x32xf32> {jax.result_info = "result[0][1]"}, tensor<20x8x32xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<20x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:7 = stablehlo.while(%iterArg = %arg2, %iterArg_1 = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c, %iterArg_4 = %0, %iterArg_5 = %0, %iterArg_6 = %1) : tensor<20x8x16xf32>, tensor<48x128xf32>, tensor<128xf32>, tensor<i32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<20x8x32xf32>
    cond {
      %c_7 = stablehlo.constant dense<20> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_3, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<20x8x16xf32>, tensor<i32>) -> tensor<8x16xf32>
      %4:3 = func.call @closed_call(%iterArg_1, %iterArg_2, %iterArg_4, %iterArg_5, %3) : (tensor<48x128xf32>, tensor<128xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x16xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_6, %4#2, %iterArg_3) : (tensor<20x8x32xf32>, tensor<8x32xf32>, tensor<i32>) -> tensor<20x8x32xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg_3, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_1, %iterArg_2, %6, %4#0, %4#1, %5 : tensor<20x8x16xf32>, tensor<48x128xf32>, tensor<128xf32>, tensor<i32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<20x8x32xf32>
    }
    return %2#4, %2#5, %2#6 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<20x8x32xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<20x8x16xf32>, %arg1: tensor<i32>) -> tensor<8x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 16] : (tensor<20x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<48x128xf32>, %arg1: tensor<128xf32>, %arg2: tensor<8x32xf32>, %arg3: tensor<8x32xf32>, %arg4: tensor<8x16xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
    %0 = stablehlo.concatenate %arg4, %arg2, dim = 1 : (tensor<8x16xf32>, tensor<8x32xf32>) -> tensor<8x48xf32>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x48xf32>, tensor<48x128xf32>) -> tensor<8x128xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %4 = stablehlo.add %1, %3 : tensor<8x128xf32>
    %5 = stablehlo.slice %4 [0:8, 0:32] : (tensor<8x128xf32>) -> tensor<8x32xf32>
    %6 = stablehlo.slice %4 [0:8, 32:64] : (tensor<8x128xf32>) -> tensor<8x32xf32>
    %7 = stablehlo.slice %4 [0:8, 64:96] : (tensor<8x128xf32>) -> tensor<8x32xf32>
    %8 = stablehlo.slice %4 [0:8, 96:128] : (tensor<8x128xf32>) -> tensor<8x32xf32>
    %9 = stablehlo.negate %6 : tensor<8x32xf32>
    %10 = stablehlo.exponential %9 : tensor<8x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %12 = stablehlo.add %11, %10 : tensor<8x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %14 = stablehlo.divide %13, %12 : tensor<8x32xf32>
    %15 = stablehlo.multiply %14, %arg3 : tensor<8x32xf32>
    %16 = stablehlo.negate %5 : tensor<8x32xf32>
    %17 = stablehlo.exponential %16 : tensor<8x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %19 = stablehlo.add %18, %17 : tensor<8x32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %21 = stablehlo.divide %20, %19 : tensor<8x32xf32>
    %22 = stablehlo.tanh %7 : tensor<8x32xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<8x32xf32>
    %24 = stablehlo.add %15, %23 : tensor<8x32xf32>
    %25 = stablehlo.negate %8 : tensor<8x32xf32>
    %26 = stablehlo.exponential %25 : tensor<8x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %28 = stablehlo.add %27, %26 : tensor<8x32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %30 = stablehlo.divide %29, %28 : tensor<8x32xf32>
    %31 = stablehlo.tanh %24 : tensor<8x32xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<8x32xf32>
    return %32, %24, %32 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<20x8x32xf32>, %arg1: tensor<8x32xf32>, %arg2: tensor<i32>) -> tensor<20x8x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<20x8x32xf32>, tensor<1x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<20x8x32xf32>
    return %1 : tensor<20x8x32xf32>
  }
}
