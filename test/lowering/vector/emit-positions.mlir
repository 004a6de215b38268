// RUN: hlo-opt %s --schedule-kernels='target=avx2' --emit-kernels='target=avx2' --split-input-file | FileCheck %s

#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>

// The position that is carried is below the next row's: nothing asks whether it is.
// CHECK-LABEL: func.func private @rows_in_order.code(
// CHECK-NOT:     arith.{{andi|cmpi}}
// CHECK:         arith.select
// CHECK:       func.func private @rows_in_order(
func.func private @rows_in_order(%a: tensor<500x16xf32>) -> tensor<16xi32> attributes {hlo.kernel = "region"} {
  %ei = tensor.empty() : tensor<500x16xi32>
  %i = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<500x16xi32>) {
  ^bb0(%o: i32):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i32
    linalg.yield %c : i32
  } -> tensor<500x16xi32>
  %least = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %ep = tensor.empty() : tensor<16xi32>
  %fp = linalg.fill ins(%first : i32) outs(%ep : tensor<16xi32>) -> tensor<16xi32>
  %0:2 = linalg.generic {indexing_maps = [#all, #all, #column, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a, %i : tensor<500x16xf32>, tensor<500x16xi32>) outs(%f, %fp : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%x: f32, %q: i32, %s: f32, %p: i32):
    %greater = arith.cmpf ogt, %s, %x : f32
    %equal = arith.cmpf oeq, %s, %x : f32
    %before = arith.cmpi slt, %p, %q : i32
    %tie = arith.andi %equal, %before : i1
    %keeps = arith.ori %greater, %tie : i1
    %value = arith.select %greater, %s, %x : f32
    %place = arith.select %keeps, %p, %q : i32
    linalg.yield %value, %place : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %0#1 : tensor<16xi32>
}

// -----

#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>

// The start is above the first rows' positions.
// CHECK-LABEL: func.func private @starts_above.code(
// CHECK:         arith.andi
// CHECK:       func.func private @starts_above(
func.func private @starts_above(%a: tensor<500x16xf32>) -> tensor<16xi32> attributes {hlo.kernel = "region"} {
  %ei = tensor.empty() : tensor<500x16xi32>
  %i = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<500x16xi32>) {
  ^bb0(%o: i32):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i32
    linalg.yield %c : i32
  } -> tensor<500x16xi32>
  %least = arith.constant 0xFF800000 : f32
  %first = arith.constant 4 : i32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %ep = tensor.empty() : tensor<16xi32>
  %fp = linalg.fill ins(%first : i32) outs(%ep : tensor<16xi32>) -> tensor<16xi32>
  %0:2 = linalg.generic {indexing_maps = [#all, #all, #column, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a, %i : tensor<500x16xf32>, tensor<500x16xi32>) outs(%f, %fp : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%x: f32, %q: i32, %s: f32, %p: i32):
    %greater = arith.cmpf ogt, %s, %x : f32
    %equal = arith.cmpf oeq, %s, %x : f32
    %before = arith.cmpi slt, %p, %q : i32
    %tie = arith.andi %equal, %before : i1
    %keeps = arith.ori %greater, %tie : i1
    %value = arith.select %greater, %s, %x : f32
    %place = arith.select %keeps, %p, %q : i32
    linalg.yield %value, %place : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %0#1 : tensor<16xi32>
}

// -----

#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>

// The index is not that of the rows.
// CHECK-LABEL: func.func private @index_of_column.code(
// CHECK:         arith.andi
// CHECK:       func.func private @index_of_column(
func.func private @index_of_column(%a: tensor<500x16xf32>) -> tensor<16xi32> attributes {hlo.kernel = "region"} {
  %ei = tensor.empty() : tensor<500x16xi32>
  %i = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<500x16xi32>) {
  ^bb0(%o: i32):
    %n = linalg.index 1 : index
    %c = arith.index_cast %n : index to i32
    linalg.yield %c : i32
  } -> tensor<500x16xi32>
  %least = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %ep = tensor.empty() : tensor<16xi32>
  %fp = linalg.fill ins(%first : i32) outs(%ep : tensor<16xi32>) -> tensor<16xi32>
  %0:2 = linalg.generic {indexing_maps = [#all, #all, #column, #column], iterator_types = ["reduction", "parallel"]}
      ins(%a, %i : tensor<500x16xf32>, tensor<500x16xi32>) outs(%f, %fp : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%x: f32, %q: i32, %s: f32, %p: i32):
    %greater = arith.cmpf ogt, %s, %x : f32
    %equal = arith.cmpf oeq, %s, %x : f32
    %before = arith.cmpi slt, %p, %q : i32
    %tie = arith.andi %equal, %before : i1
    %keeps = arith.ori %greater, %tie : i1
    %value = arith.select %greater, %s, %x : f32
    %place = arith.select %keeps, %p, %q : i32
    linalg.yield %value, %place : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %0#1 : tensor<16xi32>
}
