// RUN: hlo-opt %s --fuse-rows='target=avx512/2' | FileCheck %s
// A product of few terms takes little time compared with its result's way to memory: blocks stay in a small part of the second cache (1 MiB here: at most
// 32 rows of 4 KiB).

// CHECK: func.func private @rows_0({{.*}} attributes {hlo.kernel = "rows", hlo.schedule = {block = 32 : i64, rows = [2048],
func.func public @main(%a: tensor<2048x8xf32>, %b: tensor<8x1024xf32>) -> tensor<2048x1024xf32> {
  %0 = call @product_0(%a, %b) : (tensor<2048x8xf32>, tensor<8x1024xf32>) -> tensor<2048x1024xf32>
  %1 = call @exp_0(%0) : (tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  return %1 : tensor<2048x1024xf32>
}

func.func private @product_0(%a: tensor<2048x8xf32>, %b: tensor<8x1024xf32>) -> tensor<2048x1024xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2048x1024xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<2048x8xf32>, tensor<8x1024xf32>) outs(%fill : tensor<2048x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<2048x1024xf32>
  return %r : tensor<2048x1024xf32>
}

func.func private @exp_0(%a: tensor<2048x1024xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<2048x1024xf32> attributes {hlo.kernel = "region"} {
  %empty = tensor.empty() : tensor<2048x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2048x1024xf32>) outs(%empty : tensor<2048x1024xf32>) {
  ^bb0(%x: f32, %o: f32):
    %e = math.exp %x : f32
    linalg.yield %e : f32
  } -> tensor<2048x1024xf32>
  return %r : tensor<2048x1024xf32>
}
