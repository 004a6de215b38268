// A small result with a long depth: parts of the depth are a batch, and are reduced in what follows. One with enough tiles stays.
// RUN: hlo-opt %s --split-input-file --split-k=target=sm_90a | FileCheck %s

// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[PARTS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[EACH:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func private @small
// CHECK-DAG: %[[A:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [512, 8, 1024] : tensor<512x8192xbf16> into tensor<512x8x1024xbf16>
// CHECK-DAG: %[[B:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1], [2]] output_shape [8, 1024, 512] : tensor<8192x512xbf16> into tensor<8x1024x512xbf16>
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #[[PARTS]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]]
// CHECK: linalg.generic {indexing_maps = [#[[EACH]], #[[SUMS]]], iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[P]] :
// CHECK: arith.addf

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func private @small(%a: tensor<512x8192xbf16>, %b: tensor<8192x512xbf16>) -> tensor<512x512xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x8192xbf16>, tensor<8192x512xbf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// -----

// CHECK-LABEL: func.func private @large
// CHECK-NOT: expand_shape
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func private @large(%a: tensor<4096x8192xbf16>, %b: tensor<8192x4096xbf16>) -> tensor<4096x4096xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4096x8192xbf16>, tensor<8192x4096xbf16>) outs(%f : tensor<4096x4096xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}
