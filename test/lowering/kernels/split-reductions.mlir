// RUN: hlo-opt %s --split-reductions | FileCheck %s

// Parts of the outermost dimension, in the largest number up to 8 that divides it; the start is added once, in the end.

// CHECK-LABEL: func.func @sum
func.func @sum(%x: tensor<4096x1024xf32>, %y: tensor<1024xf32>) -> tensor<f32> {
  // CHECK: %[[START:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
  // CHECK: %[[PARTS:.*]] = linalg.fill ins(%[[NEUTRAL]] : f32) outs({{.*}} : tensor<8xf32>)
  // CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] {{.*}} into tensor<8x512x1024xf32>
  // CHECK: %[[P:.*]] = linalg.generic {{{.*}} iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[X]], %arg1 : tensor<8x512x1024xf32>, tensor<1024xf32>) outs(%[[PARTS]] : tensor<8xf32>)
  // CHECK: arith.mulf
  // CHECK: linalg.generic {{{.*}} iterator_types = ["reduction"]} ins(%[[P]] : tensor<8xf32>) outs(%[[START]] : tensor<f32>)
  %start = arith.constant dense<1.0> : tensor<f32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]}
    ins(%x, %y : tensor<4096x1024xf32>, tensor<1024xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = math.absf %0 : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// A dimension of 7 * 100003 elements; the neutral number of a maximum of integers.

// CHECK-LABEL: func.func @largest
func.func @largest(%x: tensor<700021xi32>, %start: tensor<i32>) -> tensor<i32> {
  // CHECK: arith.constant -2147483648 : i32
  // CHECK: tensor<7x100003xi32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : tensor<700021xi32>) outs(%start : tensor<i32>) {
  ^bb0(%a: i32, %s: i32):
    %0 = arith.maxsi %s, %a : i32
    linalg.yield %0 : i32
  } -> tensor<i32>
  return %r : tensor<i32>
}

// Left: too small, more results than one, a body that needs its place, a prime number of elements.

// CHECK-LABEL: func.func @left
// CHECK-NOT: tensor.expand_shape
func.func @left(%x: tensor<4x8xf32>, %y: tensor<4096x1024xf32>, %z: tensor<700027xf32>, %s: tensor<f32>, %t: tensor<4096xf32>)
    -> (tensor<f32>, tensor<4096xf32>, tensor<f32>, tensor<f32>) {
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %4 = arith.addf %b, %a : f32
    linalg.yield %4 : f32
  } -> tensor<f32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4096x1024xf32>) outs(%t : tensor<4096xf32>) {
  ^bb0(%a: f32, %b: f32):
    %4 = arith.addf %b, %a : f32
    linalg.yield %4 : f32
  } -> tensor<4096xf32>
  %2 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]} ins(%y : tensor<4096x1024xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %4 = linalg.index 0 : index
    %5 = arith.index_cast %4 : index to i32
    %6 = arith.sitofp %5 : i32 to f32
    %7 = arith.mulf %6, %a : f32
    %8 = arith.addf %b, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<f32>
  %3 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%z : tensor<700027xf32>) outs(%s : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %4 = arith.addf %b, %a : f32
    linalg.yield %4 : f32
  } -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<4096xf32>, tensor<f32>, tensor<f32>
}
