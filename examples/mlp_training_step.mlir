module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<784x128xf32>, %arg1: tensor<128xf32>, %arg2: tensor<128x64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64x10xf32>, %arg5: tensor<10xf32>, %arg6: tensor<32x784xf32>, %arg7: tensor<32xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<784x128xf32> {jax.result_info = "result[1][0][0]"}, tensor<128xf32> {jax.result_info = "result[1][0][1]"}, tensor<128x64xf32> {jax.result_info = "result[1][1][0]"}, tensor<64xf32> {jax.result_info = "result[1][1][1]"}, tensor<64x10xf32> {jax.result_info = "result[1][2][0]"}, tensor<10xf32> {jax.result_info = "result[1][2][1]"}) {
    %0 = stablehlo.dot_general %arg6, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x784xf32>, tensor<784x128xf32>) -> tensor<32x128xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<32x128xf32>
    %3 = stablehlo.add %0, %2 : tensor<32x128xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<32x128xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<32x128xf32>
    %6 = stablehlo.multiply %3, %3 : tensor<32x128xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<32x128xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<32x128xf32>
    %11 = stablehlo.add %3, %10 : tensor<32x128xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<32x128xf32>
    %14 = stablehlo.tanh %13 : tensor<32x128xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<32x128xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %18 = stablehlo.add %17, %14 : tensor<32x128xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<32x128xf32>
    %21 = stablehlo.multiply %3, %20 : tensor<32x128xf32>
    %22 = stablehlo.dot_general %21, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x128xf32>, tensor<128x64xf32>) -> tensor<32x64xf32>
    %23 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x64xf32>) -> tensor<32x64xf32>
    %25 = stablehlo.add %22, %24 : tensor<32x64xf32>
    %26 = stablehlo.multiply %25, %25 : tensor<32x64xf32>
    %27 = stablehlo.multiply %26, %25 : tensor<32x64xf32>
    %28 = stablehlo.multiply %25, %25 : tensor<32x64xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<32x64xf32>
    %cst_6 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %32 = stablehlo.multiply %31, %27 : tensor<32x64xf32>
    %33 = stablehlo.add %25, %32 : tensor<32x64xf32>
    %cst_7 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %35 = stablehlo.multiply %34, %33 : tensor<32x64xf32>
    %36 = stablehlo.tanh %35 : tensor<32x64xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %38 = stablehlo.subtract %37, %36 : tensor<32x64xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %40 = stablehlo.add %39, %36 : tensor<32x64xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<32x64xf32>
    %43 = stablehlo.multiply %25, %42 : tensor<32x64xf32>
    %44 = stablehlo.dot_general %43, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x10xf32>) -> tensor<32x10xf32>
    %45 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<32x10xf32>
    %47 = stablehlo.add %44, %46 : tensor<32x10xf32>
    %48:3 = call @log_softmax(%47) : (tensor<32x10xf32>) -> (tensor<32x10xf32>, tensor<32x10xf32>, tensor<32x1xf32>)
    %49 = stablehlo.iota dim = 0 : tensor<32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %51 = stablehlo.compare LT, %49, %50, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_11 = stablehlo.constant dense<32> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %53 = stablehlo.add %49, %52 : tensor<32xi32>
    %54 = stablehlo.select %51, %53, %49 : tensor<32xi1>, tensor<32xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %56 = stablehlo.compare LT, %arg7, %55, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_13 = stablehlo.constant dense<10> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %58 = stablehlo.add %arg7, %57 : tensor<32xi32>
    %59 = stablehlo.select %56, %58, %arg7 : tensor<32xi1>, tensor<32xi32>
    %60 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %61 = stablehlo.broadcast_in_dim %59, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %62 = stablehlo.concatenate %60, %61, dim = 1 : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x2xi32>
    %63 = "stablehlo.gather"(%48#0, %62) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<32x10xf32>, tensor<32x2xi32>) -> tensor<32xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %cst_15 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %65 = stablehlo.divide %64, %cst_15 : tensor<f32>
    %66 = stablehlo.negate %65 : tensor<f32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %67 = stablehlo.negate %cst_16 : tensor<f32>
    %cst_17 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %68 = stablehlo.divide %67, %cst_17 : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %71 = "stablehlo.scatter"(%70, %62, %69) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %136 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %136 : tensor<f32>
    }) : (tensor<32x10xf32>, tensor<32x2xi32>, tensor<32xf32>) -> tensor<32x10xf32>
    %72 = call @log_softmax_0(%48#1, %48#2, %71) : (tensor<32x10xf32>, tensor<32x1xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<32x10xf32>, tensor<f32>) -> tensor<10xf32>
    %74 = stablehlo.reshape %73 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_20) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %76 = stablehlo.dot_general %72, %43, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x10xf32>, tensor<32x64xf32>) -> tensor<10x64xf32>
    %77 = stablehlo.transpose %76, dims = [1, 0] : (tensor<10x64xf32>) -> tensor<64x10xf32>
    %78 = stablehlo.dot_general %72, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x10xf32>, tensor<64x10xf32>) -> tensor<32x64xf32>
    %79 = stablehlo.multiply %25, %78 : tensor<32x64xf32>
    %80 = stablehlo.multiply %78, %42 : tensor<32x64xf32>
    %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %82 = stablehlo.multiply %81, %79 : tensor<32x64xf32>
    %83 = stablehlo.multiply %82, %38 : tensor<32x64xf32>
    %84 = stablehlo.multiply %83, %36 : tensor<32x64xf32>
    %85 = stablehlo.add %83, %84 : tensor<32x64xf32>
    %cst_22 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %87 = stablehlo.multiply %86, %85 : tensor<32x64xf32>
    %88 = stablehlo.add %80, %87 : tensor<32x64xf32>
    %cst_23 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %90 = stablehlo.multiply %89, %87 : tensor<32x64xf32>
    %91 = stablehlo.multiply %90, %30 : tensor<32x64xf32>
    %92 = stablehlo.add %88, %91 : tensor<32x64xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.reduce(%92 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %94 = stablehlo.reshape %93 : (tensor<64xf32>) -> tensor<1x64xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.reduce(%94 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %96 = stablehlo.dot_general %92, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
    %97 = stablehlo.transpose %96, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
    %98 = stablehlo.dot_general %92, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<128x64xf32>) -> tensor<32x128xf32>
    %99 = stablehlo.multiply %3, %98 : tensor<32x128xf32>
    %100 = stablehlo.multiply %98, %20 : tensor<32x128xf32>
    %cst_26 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %102 = stablehlo.multiply %101, %99 : tensor<32x128xf32>
    %103 = stablehlo.multiply %102, %16 : tensor<32x128xf32>
    %104 = stablehlo.multiply %103, %14 : tensor<32x128xf32>
    %105 = stablehlo.add %103, %104 : tensor<32x128xf32>
    %cst_27 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %107 = stablehlo.multiply %106, %105 : tensor<32x128xf32>
    %108 = stablehlo.add %100, %107 : tensor<32x128xf32>
    %cst_28 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %110 = stablehlo.multiply %109, %107 : tensor<32x128xf32>
    %111 = stablehlo.multiply %110, %8 : tensor<32x128xf32>
    %112 = stablehlo.add %108, %111 : tensor<32x128xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<32x128xf32>, tensor<f32>) -> tensor<128xf32>
    %114 = stablehlo.reshape %113 : (tensor<128xf32>) -> tensor<1x128xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_30) applies stablehlo.add across dimensions = [0] : (tensor<1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %116 = stablehlo.dot_general %112, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x128xf32>, tensor<32x784xf32>) -> tensor<128x784xf32>
    %117 = stablehlo.transpose %116, dims = [1, 0] : (tensor<128x784xf32>) -> tensor<784x128xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<784x128xf32>
    %119 = stablehlo.multiply %118, %117 : tensor<784x128xf32>
    %120 = stablehlo.subtract %arg0, %119 : tensor<784x128xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %122 = stablehlo.multiply %121, %115 : tensor<128xf32>
    %123 = stablehlo.subtract %arg1, %122 : tensor<128xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<128x64xf32>
    %125 = stablehlo.multiply %124, %97 : tensor<128x64xf32>
    %126 = stablehlo.subtract %arg2, %125 : tensor<128x64xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %128 = stablehlo.multiply %127, %95 : tensor<64xf32>
    %129 = stablehlo.subtract %arg3, %128 : tensor<64xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
    %131 = stablehlo.multiply %130, %77 : tensor<64x10xf32>
    %132 = stablehlo.subtract %arg4, %131 : tensor<64x10xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %134 = stablehlo.multiply %133, %75 : tensor<10xf32>
    %135 = stablehlo.subtract %arg5, %134 : tensor<10xf32>
    return %66, %120, %123, %126, %129, %132, %135 : tensor<f32>, tensor<784x128xf32>, tensor<128xf32>, tensor<128x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>
  }
  func.func private @log_softmax(%arg0: tensor<32x10xf32>) -> (tensor<32x10xf32>, tensor<32x10xf32>, tensor<32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<32x10xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<32x10xf32>
    %6 = stablehlo.exponential %5 : tensor<32x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<32x10xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %9 = stablehlo.log %8 : tensor<32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<32x10xf32>
    return %11, %6, %8 : tensor<32x10xf32>, tensor<32x10xf32>, tensor<32x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<32x10xf32>, %arg1: tensor<32x1xf32>, %arg2: tensor<32x10xf32>) -> tensor<32x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<32x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x10xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<32x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<32x1xf32>, tensor<f32>) -> tensor<32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<32x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<32x10xf32>
    return %7 : tensor<32x10xf32>
  }
}
