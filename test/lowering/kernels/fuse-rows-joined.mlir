// RUN: hlo-opt %s --fuse-rows='target=avx512' | FileCheck %s

// A product whose result only the joined call reads, which stands where the last call of its chain was: it stays by itself.
// CHECK-LABEL: func.func public @main
// CHECK-NEXT: %[[OTHER:.*]] = call @product_0
// CHECK-NEXT: %[[SUM:.*]] = call @rows_0({{.*}}%[[OTHER]]
// CHECK-NEXT: return %[[SUM]]
func.func public @main(%a: tensor<4096x64xf32>, %b: tensor<64x2048xf32>, %c: tensor<4096x64xf32>) -> tensor<4096x2048xf32> {
  %p = call @product_0(%a, %b) : (tensor<4096x64xf32>, tensor<64x2048xf32>) -> tensor<4096x2048xf32>
  %q = call @product_0(%c, %b) : (tensor<4096x64xf32>, tensor<64x2048xf32>) -> tensor<4096x2048xf32>
  %r = call @add_0(%p, %q) : (tensor<4096x2048xf32>, tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  return %r : tensor<4096x2048xf32>
}
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
func.func private @add_0(%a: tensor<4096x2048xf32>, %b: tensor<4096x2048xf32>) -> tensor<4096x2048xf32> attributes {hlo.kernel = "region"} {
  %empty = tensor.empty() : tensor<4096x2048xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4096x2048xf32>, tensor<4096x2048xf32>) outs(%empty : tensor<4096x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4096x2048xf32>
  return %r : tensor<4096x2048xf32>
}
