// RUN: hlo-opt %s --widen-operands=target=avx512 | FileCheck %s

// Each element of the image is in nine windows, and meets 40 weights; each weight is read for 196 positions.

#input = affine_map<(n, y, x, o, p, q, i) -> (n, y + p, x + q, i)>
#weights = affine_map<(n, y, x, o, p, q, i) -> (p, q, i, o)>
#result = affine_map<(n, y, x, o, p, q, i) -> (n, y, x, o)>

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<2x16x16x24xf16>, %w: tensor<3x3x24x40xf16>) -> tensor<2x14x14x40xf32> {
  // CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<2x16x16x24xf16>) outs({{.*}} : tensor<2x16x16x24xf32>)
  // CHECK: arith.extf {{.*}} : f16 to f32
  // CHECK: linalg.generic {{.*}} ins(%[[WIDE]], %{{.*}} : tensor<2x16x16x24xf32>, tensor<3x3x24x40xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: arith.mulf %[[A]], %[[B]] : f32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x14x14x40xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x14x14x40xf32>) -> tensor<2x14x14x40xf32>
  %r = linalg.generic {indexing_maps = [#input, #weights, #result],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x16x16x24xf16>, tensor<3x3x24x40xf16>) outs(%start : tensor<2x14x14x40xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x14x14x40xf32>
  return %r : tensor<2x14x14x40xf32>
}

// A matrix that meets one vector is read once.

// CHECK-LABEL: func.func @once
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<300x500xf16>, tensor<500xf16>)
func.func @once(%x: tensor<300x500xf16>, %y: tensor<500xf16>) -> tensor<300xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<300xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<300xf32>) -> tensor<300xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x, %y : tensor<300x500xf16>, tensor<500xf16>) outs(%start : tensor<300xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<300xf32>
  return %r : tensor<300xf32>
}
