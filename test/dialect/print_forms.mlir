// RUN: hlo-opt %s | FileCheck %s
// Short forms that programs of JAX do not hold.

// CHECK-LABEL: func.func @values
func.func @values(%x: tensor<4x4xf32>, %i: tensor<i32>, %p: tensor<4x4xi1>) {
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<4x4xf32>
  %0 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<4x4xf32>
  %1 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4x4xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [1] : tensor<4x4xf32>
  %2 = stablehlo.reverse %x, dims = [1] : tensor<4x4xf32>
  // CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<4x4xf32>, tensor<i32>>
  %3 = stablehlo.tuple %x, %i : tuple<tensor<4x4xf32>, tensor<i32>>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[1] : (tuple<tensor<4x4xf32>, tensor<i32>>) -> tensor<i32>
  %4 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<4x4xf32>, tensor<i32>>) -> tensor<i32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4x4xcomplex<f32>>
  %5 = stablehlo.complex %x, %x : tensor<4x4xcomplex<f32>>
  // CHECK: stablehlo.is_finite %{{.*}} : (tensor<4x4xf32>) -> tensor<4x4xi1>
  %6 = stablehlo.is_finite %x : (tensor<4x4xf32>) -> tensor<4x4xi1>
  // CHECK: stablehlo.broadcast %{{.*}}, sizes = [2] : (tensor<4x4xf32>) -> tensor<2x4x4xf32>
  %7 = stablehlo.broadcast %x, sizes = [2] : (tensor<4x4xf32>) -> tensor<2x4x4xf32>
  // CHECK: stablehlo.get_dimension_size %{{.*}}, dim = 1 : (tensor<4x4xf32>) -> tensor<i32>
  %8 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x4xf32>) -> tensor<i32>
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [4]
  %9 = stablehlo.fft %5, type = FFT, length = [4] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}}, precision = [HIGH, DEFAULT]
  %10 = stablehlo.dot %x, %x, precision = [HIGH, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: stablehlo.replica_id : tensor<ui32>
  %11 = stablehlo.replica_id : tensor<ui32>
  // CHECK: stablehlo.create_token : !stablehlo.token
  %12 = stablehlo.create_token : !stablehlo.token
  // CHECK: stablehlo.after_all %{{.*}}, %{{.*}} : !stablehlo.token
  %13 = stablehlo.after_all %12, %12 : !stablehlo.token
  // CHECK: stablehlo.custom_call @"a-b"(%{{.*}}) {has_side_effect = true}
  %14 = stablehlo.custom_call @"a-b"(%x) {has_side_effect = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %15 = chlo.next_after %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: check.expect_eq_const %{{.*}}, dense<0> : tensor<i32>
  check.expect_eq_const %8, dense<0> : tensor<i32>
  return
}

// CHECK-LABEL: func.func @bounds(
// CHECK-SAME: tensor<3x?xf32, #stablehlo.bounds<?, 8>>
func.func @bounds(%a: tensor<3x?xf32, #stablehlo.type_extensions<bounds = [?, 8]>>) {
  return
}

// CHECK: "stablehlo.all_reduce"
// CHECK: channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>
#channel = #stablehlo.channel_handle<handle = 1, type = 0>
func.func @channels(%a: tensor<2xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #channel, replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
