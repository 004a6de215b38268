// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// Signedness chooses the arithmetic; bf16 is computed in f32; a scalar bound is read at every point.

// CHECK-DAG: #[[ALL:.+]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[ONE:.+]] = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @main
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ALL]]], iterator_types = ["parallel"]}
// CHECK: arith.maxui %{{.*}} : i8
// CHECK: linalg.generic
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: linalg.generic {indexing_maps = [#[[ONE]], #[[ALL]], #[[ONE]], #[[ALL]]]
// CHECK: arith.maximumf
// CHECK: arith.minimumf
func.func @main(%u: tensor<4xui8>, %b: tensor<4xbf16>, %low: tensor<f32>, %x: tensor<4xf32>)
    -> (tensor<4xui8>, tensor<4xbf16>, tensor<4xf32>) {
  %0 = stablehlo.maximum %u, %u : tensor<4xui8>
  %1 = stablehlo.exponential %b : tensor<4xbf16>
  %2 = stablehlo.clamp %low, %x, %low : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xui8>, tensor<4xbf16>, tensor<4xf32>
}
