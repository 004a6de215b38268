// RUN: hlo-opt %s --schedule-kernels='target=avx2' --emit-kernels='target=avx2' --split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>

// Without masks, what tiles leave is vectors, the last of which begins earlier; no elements are left for scalars. The kernel is called for an
// argument of the program, where its result never is.
// CHECK-LABEL: func.func private @negate.code(
// CHECK:         scf.for %[[I:.*]] = %c32 to %c45 step %c8
// CHECK:           %[[BEGIN:.*]] = arith.minsi %[[I]], %c37
// CHECK:           vector.load %{{.*}}[%[[BEGIN]]]
// CHECK-NOT:     memref.load
// CHECK:       func.func private @negate(%{{.*}}: tensor<45xf32>) ->
func.func @main(%a: tensor<45xf32>) -> tensor<45xf32> {
  %0 = call @negate(%a) : (tensor<45xf32>) -> tensor<45xf32>
  return %0 : tensor<45xf32>
}
func.func private @negate(%a: tensor<45xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<45xf32>
    attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<45xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<45xf32>) outs(%e : tensor<45xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<45xf32>
  return %0 : tensor<45xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The second call may write its result where its operand is: elements that were negated must not be negated again.
// CHECK-LABEL: func.func private @negate.code(
// CHECK:         memref.load
// CHECK:       func.func private @negate(%{{.*}}: tensor<45xf32> {hlo.may_alias = array<i64: 0>}) ->
func.func @main(%a: tensor<45xf32>) -> tensor<45xf32> {
  %0 = call @negate(%a) : (tensor<45xf32>) -> tensor<45xf32>
  %1 = call @negate(%0) : (tensor<45xf32>) -> tensor<45xf32>
  return %1 : tensor<45xf32>
}
func.func private @negate(%a: tensor<45xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<45xf32>
    attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<45xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<45xf32>) outs(%e : tensor<45xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<45xf32>
  return %0 : tensor<45xf32>
}

// -----

#rows = affine_map<(j, k) -> (k, j)>
#columns = affine_map<(j, k) -> (j)>

// A maximum of columns.
// CHECK-LABEL: func.func private @maxima.code(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c20 step %c8
// CHECK:           %[[BEGIN:.*]] = arith.minsi %[[I]], %c12
// CHECK:           vector.store %{{.*}}[%[[BEGIN]]]
// CHECK-NOT:     memref.load
// CHECK:       func.func private @maxima(
func.func @main(%a: tensor<30x20xf32>) -> tensor<20xf32> {
  %0 = call @maxima(%a) : (tensor<30x20xf32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}
func.func private @maxima(%a: tensor<30x20xf32>) -> tensor<20xf32> attributes {hlo.kernel = "region"} {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<20xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<20xf32>) -> tensor<20xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #columns], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<30x20xf32>) outs(%f : tensor<20xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.maximumf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<20xf32>
  return %0 : tensor<20xf32>
}
