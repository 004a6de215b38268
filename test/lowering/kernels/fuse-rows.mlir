// RUN: hlo-opt %s --fuse-rows='target=avx512' | FileCheck %s
// Scores of 32 MiB go block by block; what is small stays as it is.

// CHECK-LABEL: func.func public @main
// CHECK-NEXT:    %[[R:.*]] = call @rows_0(%arg0, %arg1) : (tensor<4096x64xf32>, tensor<64x2048xf32>) -> tensor<4096x2048xf32>
// CHECK-NEXT:    %[[S:.*]] = call @product_1(%arg2, %arg2)
// CHECK-NEXT:    %[[T:.*]] = call @exp_1(%[[S]])
// CHECK-NEXT:    return %[[R]], %[[T]]
func.func public @main(%a: tensor<4096x64xf32>, %b: tensor<64x2048xf32>, %c: tensor<64x64xf32>) -> (tensor<4096x2048xf32>, tensor<64x64xf32>) {
  %0 = call @product_0(%a, %b) : (tensor<4096x64xf32>, tensor<64x2048xf32>) -> tensor<4096x2048xf32>
  %1 = call @exp_0(%0) : (tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %2 = call @product_1(%c, %c) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = call @exp_1(%2) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1, %3 : tensor<4096x2048xf32>, tensor<64x64xf32>
}

// CHECK: func.func private @product_0({{.*}}) -> tensor<4096x2048xf32> attributes {hlo.stage = "contraction"}
func.func private @product_0(%a: tensor<4096x64xf32>, %b: tensor<64x2048xf32>) -> tensor<4096x2048xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096x2048xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4096x64xf32>, tensor<64x2048xf32>) outs(%fill : tensor<4096x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096x2048xf32>
  return %r : tensor<4096x2048xf32>
}

// CHECK: func.func private @exp_0({{.*}}) -> tensor<4096x2048xf32> attributes {hlo.stage = "region"}
func.func private @exp_0(%a: tensor<4096x2048xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<4096x2048xf32> attributes {hlo.kernel = "region"} {
  %empty = tensor.empty() : tensor<4096x2048xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4096x2048xf32>) outs(%empty : tensor<4096x2048xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<4096x2048xf32>
  return %r : tensor<4096x2048xf32>
}

// CHECK: func.func private @product_1({{.*}}) -> tensor<64x64xf32> attributes {hlo.kernel = "contraction"}
func.func private @product_1(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

func.func private @exp_1(%a: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {hlo.kernel = "region"} {
  %empty = tensor.empty() : tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// A Fourier transform is a kernel without a body.
// CHECK: func.func private @fft_0(tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>> attributes {hlo.fft = "FFT", hlo.fft_length = array<i64: 16>, hlo.kernel = "fft"}
func.func private @fft_0(tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>> attributes {hlo.fft = "FFT", hlo.fft_length = array<i64: 16>, hlo.kernel = "fft"}
func.func public @transform(%a: tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>> {
  %0 = call @fft_0(%a) : (tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>>
  return %0 : tensor<4x16xcomplex<f32>>
}

// CHECK: func.func private @rows_0({{.*}} attributes {hlo.kernel = "rows", hlo.schedule = {block = {{[0-9]+}} : i64, rows = [4096], section = 0 : i64, stages = [{{.*}}], threads = {{[0-9]+}} : i64}}
