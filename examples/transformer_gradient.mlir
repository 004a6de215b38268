module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x64xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64x192xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64x256xf32>, %arg6: tensor<2x32x64xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<256x64xf32> {jax.result_info = "result[1]['down']"}, tensor<64x64xf32> {jax.result_info = "result[1]['project']"}, tensor<64x192xf32> {jax.result_info = "result[1]['qkv']"}, tensor<64xf32> {jax.result_info = "result[1]['scale1']"}, tensor<64xf32> {jax.result_info = "result[1]['scale2']"}, tensor<64x256xf32> {jax.result_info = "result[1]['up']"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg6 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<2x32xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x1xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x32x1xf32>) -> tensor<2x32x64xf32>
    %5 = stablehlo.subtract %arg6, %4 : tensor<2x32x64xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<2x32x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<2x32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x1xf32>
    %cst_2 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<2x32x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %12 = stablehlo.add %10, %11 : tensor<2x32x1xf32>
    %13 = stablehlo.rsqrt %12 : tensor<2x32x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<2x32x1xf32>) -> tensor<2x32x64xf32>
    %15 = stablehlo.multiply %5, %14 : tensor<2x32x64xf32>
    %16 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x32x64xf32>
    %18 = stablehlo.multiply %15, %17 : tensor<2x32x64xf32>
    %19 = stablehlo.dot_general %18, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x32x64xf32>, tensor<64x192xf32>) -> tensor<2x32x192xf32>
    %20 = stablehlo.reshape %19 : (tensor<2x32x192xf32>) -> tensor<2x32x4x48xf32>
    %21 = stablehlo.slice %20 [0:2, 0:32, 0:4, 0:16] : (tensor<2x32x4x48xf32>) -> tensor<2x32x4x16xf32>
    %22 = stablehlo.slice %20 [0:2, 0:32, 0:4, 16:32] : (tensor<2x32x4x48xf32>) -> tensor<2x32x4x16xf32>
    %23 = stablehlo.slice %20 [0:2, 0:32, 0:4, 32:48] : (tensor<2x32x4x48xf32>) -> tensor<2x32x4x16xf32>
    %24 = stablehlo.dot_general %21, %22, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) -> tensor<2x4x32x32xf32>
    %cst_4 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4x32x32xf32>
    %26 = stablehlo.divide %24, %25 : tensor<2x4x32x32xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %27 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %28 = call @tril(%27) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %cst_5 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %29:2 = call @_where(%28, %26, %cst_5) : (tensor<32x32xi1>, tensor<2x4x32x32xf32>, tensor<f32>) -> (tensor<2x4x32x32xf32>, tensor<2x4x32x32xi1>)
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.reduce(%29#0 init: %cst_6) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x32x32xf32>, tensor<f32>) -> tensor<2x4x32xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x4x32xf32>
    %32 = stablehlo.maximum %31, %30 : tensor<2x4x32xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<2x4x32xf32>) -> tensor<2x4x32x1xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<2x4x32x1xf32>) -> tensor<2x4x32x32xf32>
    %35 = stablehlo.subtract %29#0, %34 : tensor<2x4x32x32xf32>
    %36 = stablehlo.exponential %35 : tensor<2x4x32x32xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%36 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<2x4x32x32xf32>, tensor<f32>) -> tensor<2x4x32xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<2x4x32xf32>) -> tensor<2x4x32x1xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3] : (tensor<2x4x32x1xf32>) -> tensor<2x4x32x32xf32>
    %40 = stablehlo.divide %36, %39 : tensor<2x4x32x32xf32>
    %41 = stablehlo.multiply %38, %38 : tensor<2x4x32x1xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x4x32x1xf32>
    %43 = stablehlo.divide %42, %41 : tensor<2x4x32x1xf32>
    %44 = stablehlo.dot_general %23, %40, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x32x4x16xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x16x32xf32>
    %45 = stablehlo.transpose %44, dims = [0, 3, 1, 2] : (tensor<2x4x16x32xf32>) -> tensor<2x32x4x16xf32>
    %46 = stablehlo.reshape %45 : (tensor<2x32x4x16xf32>) -> tensor<2x32x64xf32>
    %47 = stablehlo.dot_general %46, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x32x64xf32>, tensor<64x64xf32>) -> tensor<2x32x64xf32>
    %48 = stablehlo.add %arg6, %47 : tensor<2x32x64xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<2x32xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x1xf32>
    %cst_11 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %52 = stablehlo.divide %50, %51 : tensor<2x32x1xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<2x32x1xf32>) -> tensor<2x32x64xf32>
    %54 = stablehlo.subtract %48, %53 : tensor<2x32x64xf32>
    %55 = stablehlo.multiply %54, %54 : tensor<2x32x64xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %57 = stablehlo.multiply %56, %54 : tensor<2x32x64xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%55 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<2x32xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x1xf32>
    %cst_14 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %61 = stablehlo.divide %59, %60 : tensor<2x32x1xf32>
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %63 = stablehlo.add %61, %62 : tensor<2x32x1xf32>
    %64 = stablehlo.rsqrt %63 : tensor<2x32x1xf32>
    %65 = stablehlo.divide %64, %63 : tensor<2x32x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<2x32x1xf32>
    %68 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<2x32x1xf32>) -> tensor<2x32x64xf32>
    %69 = stablehlo.multiply %54, %68 : tensor<2x32x64xf32>
    %70 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x32x64xf32>
    %72 = stablehlo.multiply %69, %71 : tensor<2x32x64xf32>
    %73 = stablehlo.dot_general %72, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x32x64xf32>, tensor<64x256xf32>) -> tensor<2x32x256xf32>
    %74 = stablehlo.multiply %73, %73 : tensor<2x32x256xf32>
    %75 = stablehlo.multiply %74, %73 : tensor<2x32x256xf32>
    %76 = stablehlo.multiply %73, %73 : tensor<2x32x256xf32>
    %cst_17 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %78 = stablehlo.multiply %77, %76 : tensor<2x32x256xf32>
    %cst_18 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %80 = stablehlo.multiply %79, %75 : tensor<2x32x256xf32>
    %81 = stablehlo.add %73, %80 : tensor<2x32x256xf32>
    %cst_19 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %83 = stablehlo.multiply %82, %81 : tensor<2x32x256xf32>
    %84 = stablehlo.tanh %83 : tensor<2x32x256xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %86 = stablehlo.subtract %85, %84 : tensor<2x32x256xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %88 = stablehlo.add %87, %84 : tensor<2x32x256xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %90 = stablehlo.multiply %89, %88 : tensor<2x32x256xf32>
    %91 = stablehlo.multiply %73, %90 : tensor<2x32x256xf32>
    %92 = stablehlo.dot_general %91, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x32x256xf32>, tensor<256x64xf32>) -> tensor<2x32x64xf32>
    %93 = stablehlo.add %48, %92 : tensor<2x32x64xf32>
    %94 = stablehlo.multiply %93, %93 : tensor<2x32x64xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %96 = stablehlo.multiply %95, %93 : tensor<2x32x64xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%94 init: %cst_24) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<f32>
    %cst_25 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %98 = stablehlo.divide %97, %cst_25 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_27 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %99 = stablehlo.divide %cst_26, %cst_27 : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f32>) -> tensor<2x32x64xf32>
    %101 = stablehlo.multiply %100, %96 : tensor<2x32x64xf32>
    %102 = stablehlo.dot_general %101, %91, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x64xf32>, tensor<2x32x256xf32>) -> tensor<64x256xf32>
    %103 = stablehlo.transpose %102, dims = [1, 0] : (tensor<64x256xf32>) -> tensor<256x64xf32>
    %104 = stablehlo.dot_general %101, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x64xf32>, tensor<256x64xf32>) -> tensor<2x32x256xf32>
    %105 = stablehlo.multiply %73, %104 : tensor<2x32x256xf32>
    %106 = stablehlo.multiply %104, %90 : tensor<2x32x256xf32>
    %cst_28 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %108 = stablehlo.multiply %107, %105 : tensor<2x32x256xf32>
    %109 = stablehlo.multiply %108, %86 : tensor<2x32x256xf32>
    %110 = stablehlo.multiply %109, %84 : tensor<2x32x256xf32>
    %111 = stablehlo.add %109, %110 : tensor<2x32x256xf32>
    %cst_29 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %113 = stablehlo.multiply %112, %111 : tensor<2x32x256xf32>
    %114 = stablehlo.add %106, %113 : tensor<2x32x256xf32>
    %cst_30 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x32x256xf32>
    %116 = stablehlo.multiply %115, %113 : tensor<2x32x256xf32>
    %117 = stablehlo.multiply %116, %78 : tensor<2x32x256xf32>
    %118 = stablehlo.add %114, %117 : tensor<2x32x256xf32>
    %119 = stablehlo.dot_general %118, %72, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x256xf32>, tensor<2x32x64xf32>) -> tensor<256x64xf32>
    %120 = stablehlo.transpose %119, dims = [1, 0] : (tensor<256x64xf32>) -> tensor<64x256xf32>
    %121 = stablehlo.dot_general %118, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x256xf32>, tensor<64x256xf32>) -> tensor<2x32x64xf32>
    %122 = stablehlo.multiply %69, %121 : tensor<2x32x64xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %124 = stablehlo.reshape %123 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %125 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x32x64xf32>
    %126 = stablehlo.multiply %121, %125 : tensor<2x32x64xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%124 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %128 = stablehlo.multiply %54, %126 : tensor<2x32x64xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<2x32xf32>
    %130 = stablehlo.reshape %129 : (tensor<2x32xf32>) -> tensor<2x32x1xf32>
    %131 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<2x32x1xf32>) -> tensor<2x32x64xf32>
    %132 = stablehlo.multiply %126, %131 : tensor<2x32x64xf32>
    %133 = stablehlo.multiply %130, %67 : tensor<2x32x1xf32>
    %cst_34 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %135 = stablehlo.divide %133, %134 : tensor<2x32x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<2x32x1xf32>, tensor<f32>) -> tensor<2x32xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x64xf32>
    %138 = stablehlo.multiply %137, %57 : tensor<2x32x64xf32>
    %139 = stablehlo.add %132, %138 : tensor<2x32x64xf32>
    %140 = stablehlo.negate %139 : tensor<2x32x64xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<2x32xf32>
    %142 = stablehlo.reshape %141 : (tensor<2x32xf32>) -> tensor<2x32x1xf32>
    %143 = stablehlo.add %101, %139 : tensor<2x32x64xf32>
    %cst_37 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x32x1xf32>
    %145 = stablehlo.divide %142, %144 : tensor<2x32x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.reduce(%145 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<2x32x1xf32>, tensor<f32>) -> tensor<2x32xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [0, 1] : (tensor<2x32xf32>) -> tensor<2x32x64xf32>
    %148 = stablehlo.add %143, %147 : tensor<2x32x64xf32>
    %149 = stablehlo.dot_general %148, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x64xf32>, tensor<2x32x64xf32>) -> tensor<64x64xf32>
    %150 = stablehlo.transpose %149, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %151 = stablehlo.dot_general %148, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x64xf32>, tensor<64x64xf32>) -> tensor<2x32x64xf32>
    %152 = stablehlo.reshape %151 : (tensor<2x32x64xf32>) -> tensor<2x32x4x16xf32>
    %153 = stablehlo.transpose %152, dims = [0, 2, 3, 1] : (tensor<2x32x4x16xf32>) -> tensor<2x4x16x32xf32>
    %154 = stablehlo.dot_general %153, %23, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x32xf32>, tensor<2x32x4x16xf32>) -> tensor<2x4x32x32xf32>
    %155 = stablehlo.dot_general %153, %40, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x16x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x16x32xf32>
    %156 = stablehlo.transpose %155, dims = [0, 3, 1, 2] : (tensor<2x4x16x32xf32>) -> tensor<2x32x4x16xf32>
    %157 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<2x4x32x1xf32>) -> tensor<2x4x32x32xf32>
    %158 = stablehlo.multiply %154, %157 : tensor<2x4x32x32xf32>
    %159 = stablehlo.multiply %158, %36 : tensor<2x4x32x32xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %160 = stablehlo.reduce(%159 init: %cst_39) applies stablehlo.add across dimensions = [3] : (tensor<2x4x32x32xf32>, tensor<f32>) -> tensor<2x4x32xf32>
    %161 = stablehlo.reshape %160 : (tensor<2x4x32xf32>) -> tensor<2x4x32x1xf32>
    %162 = stablehlo.negate %161 : tensor<2x4x32x1xf32>
    %163 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3] : (tensor<2x4x32x1xf32>) -> tensor<2x4x32x32xf32>
    %164 = stablehlo.divide %154, %163 : tensor<2x4x32x32xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %165 = stablehlo.reduce(%162 init: %cst_40) applies stablehlo.add across dimensions = [3] : (tensor<2x4x32x1xf32>, tensor<f32>) -> tensor<2x4x32xf32>
    %166 = stablehlo.broadcast_in_dim %165, dims = [0, 1, 2] : (tensor<2x4x32xf32>) -> tensor<2x4x32x32xf32>
    %167 = stablehlo.add %164, %166 : tensor<2x4x32x32xf32>
    %168 = stablehlo.multiply %167, %36 : tensor<2x4x32x32xf32>
    %169 = call @_where_0(%29#1, %168) : (tensor<2x4x32x32xi1>, tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
    %cst_41 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2x4x32x32xf32>
    %171 = stablehlo.divide %169, %170 : tensor<2x4x32x32xf32>
    %172 = stablehlo.dot_general %171, %21, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x32x32xf32>, tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32>
    %173 = stablehlo.transpose %172, dims = [0, 2, 1, 3] : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32>
    %174 = stablehlo.dot_general %171, %22, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x32x32xf32>, tensor<2x32x4x16xf32>) -> tensor<2x4x32x16xf32>
    %175 = stablehlo.transpose %174, dims = [0, 2, 1, 3] : (tensor<2x4x32x16xf32>) -> tensor<2x32x4x16xf32>
    %176 = stablehlo.concatenate %175, %173, %156, dim = 3 : (tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>, tensor<2x32x4x16xf32>) -> tensor<2x32x4x48xf32>
    %177 = stablehlo.reshape %176 : (tensor<2x32x4x48xf32>) -> tensor<2x32x192xf32>
    %178 = stablehlo.dot_general %177, %18, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x192xf32>, tensor<2x32x64xf32>) -> tensor<192x64xf32>
    %179 = stablehlo.transpose %178, dims = [1, 0] : (tensor<192x64xf32>) -> tensor<64x192xf32>
    %180 = stablehlo.dot_general %177, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x32x192xf32>, tensor<64x192xf32>) -> tensor<2x32x64xf32>
    %181 = stablehlo.multiply %15, %180 : tensor<2x32x64xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %183 = stablehlo.reshape %182 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%183 init: %cst_43) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    return %98, %103, %150, %179, %184, %127, %120 : tensor<f32>, tensor<256x64xf32>, tensor<64x64xf32>, tensor<64x192xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x256xf32>
  }
  func.func private @tril(%arg0: tensor<32x32xi1>) -> tensor<32x32xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %2 = stablehlo.add %0, %1 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<32x32xi1>, tensor<32x32xi1>
    return %6 : tensor<32x32xi1>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<2x4x32x32xf32>, %arg2: tensor<f32>) -> (tensor<2x4x32x32xf32>, tensor<2x4x32x32xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<32x32xi1>) -> tensor<2x4x32x32xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x32x32xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x4x32x32xi1>, tensor<2x4x32x32xf32>
    return %3, %1 : tensor<2x4x32x32xf32>, tensor<2x4x32x32xi1>
  }
  func.func private @_where_0(%arg0: tensor<2x4x32x32xi1>, %arg1: tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x32x32xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x4x32x32xi1>, tensor<2x4x32x32xf32>
    return %1 : tensor<2x4x32x32xf32>
  }
}
