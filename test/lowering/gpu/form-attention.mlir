// A softmax between two contractions is one kernel with both: scale, mask and conversions are in it, and so is what follows. A
// mask of positions is computed there, one that a program is given is read there, and one of f32 is left as it is.
// RUN: hlo-opt %s --split-input-file --target=gpu --compile-to=linalg | hlo-opt --split-input-file --form-attention | FileCheck %s

// CHECK-LABEL: func.func public @main(
// CHECK-SAME: %[[Q:.*]]: tensor<4x64x32xbf16>, %[[K:.*]]: tensor<4x96x32xbf16>, %[[V:.*]]: tensor<4x96x32xbf16>, %[[B:.*]]: tensor<4x96xf32>)
// CHECK-NEXT: %[[R:.*]] = call @attention_0(%[[Q]], %[[K]], %[[V]], %[[B]])
// CHECK-NEXT: return %[[R]]

// CHECK: func.func private @attention_0(%{{.*}}: tensor<4x64x32xbf16>, %{{.*}}: tensor<4x96x32xbf16>, %{{.*}}: tensor<4x96x32xbf16>, %{{.*}}: tensor<4x96xf32>) -> tensor<64x4x32xbf16> attributes {hlo.kernel = "attention"}
// CHECK-DAG: linalg.index 0
// CHECK-DAG: linalg.index 1
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: return %{{.*}} : tensor<64x4x32xbf16>
func.func public @main(%q: tensor<4x64x32xbf16>, %k: tensor<4x96x32xbf16>, %v: tensor<4x96x32xbf16>, %bias: tensor<4x96xf32>) -> tensor<64x4x32xbf16> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %far = stablehlo.constant dense<-1.0e+30> : tensor<4x64x96xf32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x64x32xbf16>, tensor<4x96x32xbf16>) -> tensor<4x64x96xf32>
  %b = stablehlo.broadcast_in_dim %bias, dims = [0, 2] : (tensor<4x96xf32>) -> tensor<4x64x96xf32>
  %1 = stablehlo.add %0, %b : tensor<4x64x96xf32>
  %i = stablehlo.iota dim = 0 : tensor<64x96xi32>
  %j = stablehlo.iota dim = 1 : tensor<64x96xi32>
  %c = stablehlo.compare GE, %i, %j : (tensor<64x96xi32>, tensor<64x96xi32>) -> tensor<64x96xi1>
  %mask = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<64x96xi1>) -> tensor<4x64x96xi1>
  %2 = stablehlo.select %mask, %1, %far : tensor<4x64x96xi1>, tensor<4x64x96xf32>
  %3 = stablehlo.reduce(%2 init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<4x64x96xf32>, tensor<f32>) -> tensor<4x64xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x64xf32>) -> tensor<4x64x96xf32>
  %5 = stablehlo.subtract %2, %4 : tensor<4x64x96xf32>
  %6 = stablehlo.exponential %5 : tensor<4x64x96xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x64x96xf32>, tensor<f32>) -> tensor<4x64xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x64xf32>) -> tensor<4x64x96xf32>
  %9 = stablehlo.divide %6, %8 : tensor<4x64x96xf32>
  %10 = stablehlo.convert %9 : (tensor<4x64x96xf32>) -> tensor<4x64x96xbf16>
  %11 = stablehlo.dot_general %10, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x64x96xbf16>, tensor<4x96x32xbf16>) -> tensor<4x64x32xf32>
  %12 = stablehlo.transpose %11, dims = [1, 0, 2] : (tensor<4x64x32xf32>) -> tensor<64x4x32xf32>
  %13 = stablehlo.convert %12 : (tensor<64x4x32xf32>) -> tensor<64x4x32xbf16>
  return %13 : tensor<64x4x32xbf16>
}

// -----

// CHECK-LABEL: func.func public @main(
// CHECK-NOT: attention
func.func public @main(%q: tensor<64x32xf32>, %k: tensor<96x32xf32>, %v: tensor<96x32xf32>) -> tensor<64x32xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<64x32xf32>, tensor<96x32xf32>) -> tensor<64x96xf32>
  %3 = stablehlo.reduce(%0 init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %5 = stablehlo.subtract %0, %4 : tensor<64x96xf32>
  %6 = stablehlo.exponential %5 : tensor<64x96xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %9 = stablehlo.divide %6, %8 : tensor<64x96xf32>
  %11 = stablehlo.dot_general %9, %v, contracting_dims = [1] x [0] : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
  return %11 : tensor<64x32xf32>
}
