// RUN: hlo-opt %s --schedule-kernels='target=avx512' --emit-kernels='target=avx512' --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Dimensions that every access walks through as one are one; the remainder is masked; booleans take a byte.
// CHECK-LABEL: func.func private @less.code(
// CHECK-SAME:    %arg0: memref<3x7xf32>, %arg1: memref<3x7xf32>, %arg2: memref<3x7xi8>)
// CHECK-DAG:     %[[MASK:.*]] = vector.constant_mask [5] : vector<16xi1>
// CHECK:         vector.load {{.*}} : memref<21xf32>, vector<16xf32>
// CHECK:         vector.maskedload {{.*}}, %[[MASK]]
// CHECK:         arith.cmpf olt, {{.*}} : vector<16xf32>
// CHECK:         arith.extui {{.*}} : vector<16xi1> to vector<16xi8>
// CHECK:         vector.store {{.*}} : memref<21xi8>, vector<16xi8>
// CHECK:         vector.maskedstore {{.*}}, %[[MASK]]
// CHECK:       func.func private @less({{.*}} attributes {hlo.code = @less.code, hlo.kernel = "region", hlo.schedule = {stages = [{interleave = 1 : i64, loops = [21], {{.*}}vector = 16 : i64, vectorize = "d0"}]}}
func.func private @less(%a: tensor<3x7xf32>, %b: tensor<3x7xf32>) -> tensor<3x7xi1>
    attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<3x7xi1>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3x7xf32>, tensor<3x7xf32>) outs(%e : tensor<3x7xi1>) {
  ^bb0(%x: f32, %y: f32, %o: i1):
    %s = arith.cmpf olt, %x, %y : f32
    linalg.yield %s : i1
  } -> tensor<3x7xi1>
  return %0 : tensor<3x7xi1>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A row sum has four vectors of partial sums; what belongs to the row is computed in front of the inner loop.
// CHECK-LABEL: func.func private @sum.code(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c5
// CHECK-NEXT:      %[[ROW:.*]] = arith.muli %[[I]], %c128
// CHECK:           scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4:     arith.addf {{.*}} : vector<16xf32>
// CHECK:           vector.shuffle
// CHECK:           vector.extract
// CHECK:           memref.store {{.*}}[%[[I]]] : memref<5xf32>
func.func private @sum(%a: tensor<5x128xf32>) -> tensor<5xf32> attributes {hlo.kernel = "region"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<5x128xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.addf %x, %acc : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swapped = affine_map<(i, j) -> (j, i)>

// A transpose is loads of rows and shuffles, no gather.
// CHECK-LABEL: func.func private @transpose.code(
// CHECK-NOT:     vector.gather
// CHECK-COUNT-16: vector.load
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
func.func private @transpose(%a: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<16x16xf32>
  %0 = linalg.generic {indexing_maps = [#swapped, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// -----

// Rows of 3 elements are written out: vectors of 16 rows are interleaved, each by two shuffles, and stored as 48 elements in a row.
// CHECK-LABEL: func.func private @rows.code(
// CHECK-NOT:     vector.scatter
// CHECK-COUNT-3: vector.load
// CHECK:         vector.shuffle {{.*}} [0, 16, -1, 1, 17, -1,
// CHECK-NEXT:    vector.shuffle {{.*}} [0, 1, 16, 3, 4, 17,
// CHECK-COUNT-4: vector.shuffle
// CHECK-COUNT-3: vector.store
// CHECK:       func.func private @rows({{.*}}interleave = 3 : i64, loops = [64, 3], {{.*}}vectorize = "d0"
func.func private @rows(%a: tensor<3x64xf32>) -> tensor<64x3xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<64x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x64xf32>) outs(%e : tensor<64x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x3xf32>
  return %0 : tensor<64x3xf32>
}

// -----

// Rows of more than a cache line are not: their vectors would not stay in registers.
// CHECK: func.func private @line({{.*}}interleave = 9 : i64, loops = [64, 9]
func.func private @line(%a: tensor<9x64xf32>) -> tensor<64x9xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<64x9xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<9x64xf32>) outs(%e : tensor<64x9xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x9xf32>
  return %0 : tensor<64x9xf32>
}
// CHECK: func.func private @longer({{.*}}interleave = 1 : i64, loops = [64, 17]
func.func private @longer(%a: tensor<17x64xf32>) -> tensor<64x17xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<64x17xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<17x64xf32>) outs(%e : tensor<64x17xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x17xf32>
  return %0 : tensor<64x17xf32>
}
// CHECK: func.func private @complex_line({{.*}}interleave = 5 : i64, loops = [64, 5]
func.func private @complex_line(%a: tensor<5x64xcomplex<f32>>) -> tensor<64x5xcomplex<f32>> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<64x5xcomplex<f32>>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x64xcomplex<f32>>) outs(%e : tensor<64x5xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %o: complex<f32>):
    linalg.yield %x : complex<f32>
  } -> tensor<64x5xcomplex<f32>>
  return %0 : tensor<64x5xcomplex<f32>>
}
// CHECK: func.func private @complex_longer({{.*}}interleave = 1 : i64, loops = [64, 9]
func.func private @complex_longer(%a: tensor<9x64xcomplex<f32>>) -> tensor<64x9xcomplex<f32>> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<64x9xcomplex<f32>>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<9x64xcomplex<f32>>) outs(%e : tensor<64x9xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %o: complex<f32>):
    linalg.yield %x : complex<f32>
  } -> tensor<64x9xcomplex<f32>>
  return %0 : tensor<64x9xcomplex<f32>>
}

// -----

// Arrays that are joined along a short last dimension are one loop.
// CHECK-LABEL: func.func private @join.code(
// CHECK-NOT:     vector.scatter
// CHECK-COUNT-2: vector.load
// CHECK:         vector.shuffle {{.*}} [0, 16, 1, 17, {{.*}}, 7, 23]
// CHECK:         vector.shuffle {{.*}} [8, 24, 9, 25, {{.*}}, 15, 31]
// CHECK-COUNT-2: vector.store {{.*}} : memref<128xf32>, vector<16xf32>
func.func private @join(%a: tensor<64x1xf32>, %b: tensor<64x1xf32>) -> tensor<64x2xf32> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<64x2xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [64, 1] [1, 1] : tensor<64x1xf32> into tensor<64x2xf32>
  %1 = tensor.insert_slice %b into %0[0, 1] [64, 1] [1, 1] : tensor<64x1xf32> into tensor<64x2xf32>
  return %1 : tensor<64x2xf32>
}

// -----

// Complex numbers in lanes are their parts in turn, as in memory: taken apart by shuffles; as many lanes as the parts have.
// CHECK-LABEL: func.func private @swap.code(
// CHECK-SAME:    %[[X:.*]]: memref<64xcomplex<f32>>, %[[R:.*]]: memref<64xcomplex<f32>>)
// CHECK-DAG:     %[[FROM:.*]] = builtin.unrealized_conversion_cast %[[X]] : memref<64xcomplex<f32>> to memref<128xf32>
// CHECK-DAG:     %[[TO:.*]] = builtin.unrealized_conversion_cast %[[R]] : memref<64xcomplex<f32>> to memref<128xf32>
// CHECK:         vector.load %[[FROM]][{{.*}}] : memref<128xf32>, vector<32xf32>
// CHECK:         vector.shuffle {{.*}} [0, 2, 4, {{.*}}, 30] : vector<32xf32>, vector<32xf32>
// CHECK:         vector.shuffle {{.*}} [1, 3, 5, {{.*}}, 31] : vector<32xf32>, vector<32xf32>
// CHECK:         vector.shuffle {{.*}} [0, 16, 1, 17, {{.*}}, 15, 31] : vector<16xf32>, vector<16xf32>
// CHECK:         vector.store {{.*}}, %[[TO]][{{.*}}] : memref<128xf32>, vector<32xf32>
func.func private @swap(%a: tensor<64xcomplex<f32>>) -> tensor<64xcomplex<f32>> attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<64xcomplex<f32>>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<64xcomplex<f32>>) outs(%e : tensor<64xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %o: complex<f32>):
    %re = complex.re %x : complex<f32>
    %im = complex.im %x : complex<f32>
    %s = complex.create %im, %re : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<64xcomplex<f32>>
  return %0 : tensor<64xcomplex<f32>>
}
