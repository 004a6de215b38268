// RUN: env HLO_CPU=avx512 hlo-opt --compile-to=kernels %s | FileCheck %s

// Causal attention goes through its columns section by section: both contractions, and six steps between them.
// CHECK-LABEL: func.func @main
// CHECK: call @rows_0
// CHECK: func.func private @rows_0({{.*}} attributes {hlo.kernel = "rows", hlo.schedule = {block = {{[0-9]+}} : i64, rows = [2, 2048], section = 256 : i64,
// CHECK-SAME: stages = [{{{.*}}vectorize = "n"}, {{{.*}}vectorize = "n"}, {stages = {{.*}}}, {stages = {{.*}}}, {stages = {{.*}}}, {stages = {{.*}}}, {stages = {{.*}}}, {stages = {{.*}}}]
// CHECK: call @mul_add_reduce_0
// CHECK: call @cmp_
// CHECK: call @mul_add_reduce_1
func.func @main(%q: tensor<2x2048x64xf32>, %k: tensor<2x2048x64xf32>, %v: tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32> {
  %far = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x2048x64xf32>, tensor<2x2048x64xf32>) -> tensor<2x2048x2048xf32>
  %row = stablehlo.iota dim = 1 : tensor<2x2048x2048xi32>
  %column = stablehlo.iota dim = 2 : tensor<2x2048x2048xi32>
  %seen = stablehlo.compare GE, %row, %column : (tensor<2x2048x2048xi32>, tensor<2x2048x2048xi32>) -> tensor<2x2048x2048xi1>
  %hidden = stablehlo.broadcast_in_dim %far, dims = [] : (tensor<f32>) -> tensor<2x2048x2048xf32>
  %masked = stablehlo.select %seen, %s, %hidden : tensor<2x2048x2048xi1>, tensor<2x2048x2048xf32>
  %max = stablehlo.reduce(%masked init: %far) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2048x2048xf32>, tensor<f32>) -> tensor<2x2048xf32>
  %maxima = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<2x2048xf32>) -> tensor<2x2048x2048xf32>
  %shifted = stablehlo.subtract %masked, %maxima : tensor<2x2048x2048xf32>
  %p = stablehlo.exponential %shifted : tensor<2x2048x2048xf32>
  %sum = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x2048x2048xf32>, tensor<f32>) -> tensor<2x2048xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<2x2048xf32>) -> tensor<2x2048x2048xf32>
  %w = stablehlo.divide %p, %sums : tensor<2x2048x2048xf32>
  %r = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2048x2048xf32>, tensor<2x2048x64xf32>) -> tensor<2x2048x64xf32>
  return %r : tensor<2x2048x64xf32>
}
