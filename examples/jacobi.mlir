module @jit_solve attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x64xf32>) -> (tensor<i32> {jax.result_info = "result[0]"}, tensor<64x64xf32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %cst) : tensor<i32>, tensor<64x64xf32>, tensor<f32>
    cond {
      %c_2 = stablehlo.constant dense<200> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
      %2 = stablehlo.compare GT, %iterArg_1, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      %3 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<i1>
      %4 = stablehlo.compare NE, %1, %3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %5 = stablehlo.convert %4 : tensor<i1>
      %6 = stablehlo.and %5, %2 : tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %1 = stablehlo.slice %iterArg_0 [0:62, 1:63] : (tensor<64x64xf32>) -> tensor<62x62xf32>
      %2 = stablehlo.slice %iterArg_0 [2:64, 1:63] : (tensor<64x64xf32>) -> tensor<62x62xf32>
      %3 = stablehlo.add %1, %2 : tensor<62x62xf32>
      %4 = stablehlo.slice %iterArg_0 [1:63, 0:62] : (tensor<64x64xf32>) -> tensor<62x62xf32>
      %5 = stablehlo.add %3, %4 : tensor<62x62xf32>
      %6 = stablehlo.slice %iterArg_0 [1:63, 2:64] : (tensor<64x64xf32>) -> tensor<62x62xf32>
      %7 = stablehlo.add %5, %6 : tensor<62x62xf32>
      %cst_2 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<62x62xf32>
      %9 = stablehlo.multiply %8, %7 : tensor<62x62xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %12 = stablehlo.concatenate %10, %11, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %13 = "stablehlo.scatter"(%iterArg_0, %12, %9) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
        stablehlo.return %arg2 : tensor<f32>
      }) : (tensor<64x64xf32>, tensor<2xi32>, tensor<62x62xf32>) -> tensor<64x64xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %iterArg, %c_5 : tensor<i32>
      %15 = stablehlo.subtract %13, %iterArg_0 : tensor<64x64xf32>
      %16 = stablehlo.abs %15 : tensor<64x64xf32>
      %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %14, %13, %17 : tensor<i32>, tensor<64x64xf32>, tensor<f32>
    }
    return %0#0, %0#1, %0#2 : tensor<i32>, tensor<64x64xf32>, tensor<f32>
  }
}
