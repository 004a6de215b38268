// RUN: hlo-opt %s --write-transposed | FileCheck %s

// The product is written as its transpose, into a fill of that shape.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<32x64xf32>
// CHECK: %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]] : tensor<32x64xf32>)
// CHECK: %[[C:.*]] = linalg.generic {indexing_maps = [{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<128x64xf32>, tensor<128x32xf32>) outs(%[[FILL]] : tensor<32x64xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[C]]
func.func @gradient(%a: tensor<128x64xf32>, %b: tensor<128x32xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x64xf32>, tensor<128x32xf32>) outs(%f : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  %te = tensor.empty() : tensor<32x64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x32xf32>) outs(%te : tensor<32x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %t : tensor<32x64xf32>
}

// Something else reads the product too: the transpose stays.
// CHECK-LABEL: func.func @two_readers
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<64x32xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<32x64xf32>)
func.func @two_readers(%a: tensor<128x64xf32>, %b: tensor<128x32xf32>) -> (tensor<32x64xf32>, tensor<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x64xf32>, tensor<128x32xf32>) outs(%f : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32>
  %te = tensor.empty() : tensor<32x64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<64x32xf32>) outs(%te : tensor<32x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %t, %c : tensor<32x64xf32>, tensor<64x32xf32>
}

// Vectors along n would have 2 of their elements: the copy takes less.
// CHECK-LABEL: func.func @few_columns
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<44x2x110xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<44x110x2xf32>)
func.func @few_columns(%a: tensor<110x369xf32>, %b: tensor<369x44x2xf32>) -> tensor<44x110x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<44x2x110xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<44x2x110xf32>) -> tensor<44x2x110xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(b, n, m, k) -> (k, b, n)>, affine_map<(b, n, m, k) -> (m, k)>, affine_map<(b, n, m, k) -> (b, n, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%b, %a : tensor<369x44x2xf32>, tensor<110x369xf32>) outs(%f : tensor<44x2x110xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<44x2x110xf32>
  %te = tensor.empty() : tensor<44x110x2xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j, l) -> (i, l, j)>, affine_map<(i, j, l) -> (i, j, l)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c : tensor<44x2x110xf32>) outs(%te : tensor<44x110x2xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<44x110x2xf32>
  return %t : tensor<44x110x2xf32>
}
