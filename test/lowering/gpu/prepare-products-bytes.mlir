// Contractions read bytes where conversions made i32 (or f8) of them; what is multiplied by something wide stays.
// RUN: hlo-opt %s --split-input-file --prepare-products | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-DAG: #[[RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @bytes
// CHECK: tensor<8x2xi32>
// CHECK: } -> tensor<8x2xi32>
// CHECK-NEXT: %[[R:.*]] = linalg.generic
// CHECK-SAME: indexing_maps = [#{{.*}}, #[[RIGHT]], #{{.*}}]
// CHECK-SAME: ins(%arg0, %arg1 : tensor<4x8xi8>, tensor<2x8xi8>) outs(%arg2 : tensor<4x2xi32>) attrs = {hlo.contraction}
// CHECK-NEXT: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %[[C:.*]]: i32):
// CHECK-DAG: %[[X:.*]] = arith.extsi %[[A]] : i8 to i32
// CHECK-DAG: %[[Y:.*]] = arith.extui %[[B]] : i8 to i32
// CHECK: %[[P:.*]] = arith.muli %[[X]], %[[Y]] : i32
// CHECK: arith.addi %[[C]], %[[P]] : i32
// CHECK: return %[[R]]
func.func @bytes(%a: tensor<4x8xi8>, %b: tensor<2x8xi8>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %e = tensor.empty() : tensor<4x8xi32>
  %x = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xi8>) outs(%e : tensor<4x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %w = arith.extsi %in : i8 to i32
    linalg.yield %w : i32
  } -> tensor<4x8xi32>
  %f = tensor.empty() : tensor<8x2xi32>
  %y = linalg.generic {indexing_maps = [#turned, #map], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2x8xi8>) outs(%f : tensor<8x2xi32>) {
  ^bb0(%in: i8, %out: i32):
    %w = arith.extui %in : i8 to i32
    linalg.yield %w : i32
  } -> tensor<8x2xi32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<4x8xi32>, tensor<8x2xi32>) outs(%c : tensor<4x2xi32>) {
  ^bb0(%l: i32, %s: i32, %t: i32):
    %p = arith.muli %l, %s : i32
    %q = arith.addi %t, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func.func @one_is_wide
// CHECK: arith.extsi
// CHECK: ins(%{{.*}}, %arg1 : tensor<4x8xi32>, tensor<8x2xi32>)
func.func @one_is_wide(%a: tensor<4x8xi8>, %b: tensor<8x2xi32>, %c: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %e = tensor.empty() : tensor<4x8xi32>
  %x = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xi8>) outs(%e : tensor<4x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %w = arith.extsi %in : i8 to i32
    linalg.yield %w : i32
  } -> tensor<4x8xi32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %b : tensor<4x8xi32>, tensor<8x2xi32>) outs(%c : tensor<4x2xi32>) {
  ^bb0(%l: i32, %s: i32, %t: i32):
    %p = arith.muli %l, %s : i32
    %q = arith.addi %t, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x2xi32>
  return %r : tensor<4x2xi32>
}
