// A product that may be made of three of bf16: parts of both inputs, whose terms lie along the depth. A narrow one stays.
// RUN: hlo-opt %s --split-input-file --split-inputs | FileCheck %s

// CHECK-DAG: #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-LABEL: func.func @wide
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[FROM]], {{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<128x32xf32>) outs({{.*}} : tensor<128x3x32xbf16>)
// CHECK: linalg.index 1
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[TURNED]], {{.*}}], {{.*}} ins(%arg1 : tensor<32x64xf32>) outs({{.*}} : tensor<3x32x64xbf16>)
// CHECK: linalg.index 0
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #[[RESULT]]], iterator_types = ["reduction", "parallel", "parallel", "reduction"]} ins(%[[P]], %[[S]] : tensor<128x3x32xbf16>, tensor<3x32x64xbf16>)
// CHECK-NOT: hlo.split_inputs

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @wide(%a: tensor<128x32xf32>, %b: tensor<32x64xf32>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x32xf32>, tensor<32x64xf32>) outs(%f : tensor<128x64xf32>) attrs = {hlo.split_inputs = "bf16_x3"} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x64xf32>
  return %r : tensor<128x64xf32>
}

// -----

// CHECK-LABEL: func.func @narrow
// CHECK: ins(%arg0, %arg1 : tensor<128x32xf32>, tensor<32x16xf32>)

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @narrow(%a: tensor<128x32xf32>, %b: tensor<32x16xf32>) -> tensor<128x16xf32> {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<128x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x16xf32>) -> tensor<128x16xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<128x32xf32>, tensor<32x16xf32>) outs(%f : tensor<128x16xf32>) attrs = {hlo.split_inputs = "bf16_x3"} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x16xf32>
  return %r : tensor<128x16xf32>
}
