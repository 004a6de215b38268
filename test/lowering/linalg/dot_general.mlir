// RUN: hlo-opt %s --decompose --stablehlo-to-linalg | FileCheck %s

// Loops: batch, lhs, rhs, contracted. Operands are read as they are.
// CHECK-DAG: #[[LHS:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK-DAG: #[[RHS:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
// CHECK-DAG: #[[RESULT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @main
// CHECK: %[[ZERO:.+]] = linalg.fill
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[RESULT]]],
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: outs(%[[ZERO]]
// CHECK-NEXT: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %[[SUM:.+]]: f32):
// CHECK-NEXT: %[[PRODUCT:.+]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT: arith.addf %[[SUM]], %[[PRODUCT]] : f32
func.func @main(%a: tensor<2x4x3xf32>, %b: tensor<5x2x4xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [1] x [2]
      : (tensor<2x4x3xf32>, tensor<5x2x4xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// bf16 is summed in f32, then narrowed by an elementwise generic.
// CHECK-LABEL: func.func @half
// CHECK: linalg.generic
// CHECK: arith.extf {{.*}} : bf16 to f32
// CHECK: arith.extf {{.*}} : bf16 to f32
// CHECK: arith.mulf {{.*}} : f32
// CHECK: -> tensor<3x5xf32>
// CHECK: linalg.generic
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @half(%a: tensor<3x4xbf16>, %b: tensor<4x5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.dot %a, %b : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

// Complex numbers are multiplied and added as such.
// CHECK-LABEL: func.func @complex
// CHECK: linalg.fill ins(%{{.*}} : complex<f32>)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%{{.*}}, %{{.*}} : tensor<50x60xcomplex<f32>>, tensor<60x40xcomplex<f32>>) outs({{.*}} : tensor<50x40xcomplex<f32>>)
// CHECK: %[[P:.*]] = complex.mul
// CHECK-NEXT: complex.add %{{.*}}, %[[P]]
// CHECK-NOT: linalg.generic
func.func @complex(%a: tensor<50x60xcomplex<f32>>, %b: tensor<60x40xcomplex<f32>>) -> tensor<50x40xcomplex<f32>> {
  %0 = stablehlo.dot %a, %b : (tensor<50x60xcomplex<f32>>, tensor<60x40xcomplex<f32>>) -> tensor<50x40xcomplex<f32>>
  return %0 : tensor<50x40xcomplex<f32>>
}

// A sum of no products is zero.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: linalg.generic
// CHECK: %[[ZERO:.+]] = linalg.fill {{.*}} -> tensor<3x5xbf16>
// CHECK-NEXT: return %[[ZERO]]
func.func @nothing(%a: tensor<3x0x2xbf16>, %b: tensor<0x2x5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 2] x [0, 1] : (tensor<3x0x2xbf16>, tensor<0x2x5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}
