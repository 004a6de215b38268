// RUN: hlo-opt %s --schedule-kernels='target=avx512' --emit-kernels='target=avx512' --split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>

// Of many tiles the last one begins earlier, and there is no code for a remainder. The kernel is called for an argument of the program, where its
// result never is.
// CHECK-LABEL: func.func private @negate.code(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c3001 step %c64
// CHECK:           %[[BEGIN:.*]] = arith.minsi %[[I]], %c2937
// CHECK:           vector.load %{{.*}}[%[[BEGIN]]]
// CHECK-NOT:     vector.maskedload
// CHECK:       func.func private @negate(%{{.*}}: tensor<3001xf32>) ->
func.func @main(%a: tensor<3001xf32>) -> tensor<3001xf32> {
  %0 = call @negate(%a) : (tensor<3001xf32>) -> tensor<3001xf32>
  return %0 : tensor<3001xf32>
}
func.func private @negate(%a: tensor<3001xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<3001xf32>
    attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<3001xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<3001xf32>) outs(%e : tensor<3001xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<3001xf32>
  return %0 : tensor<3001xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The second call may write its result where its operand is: elements that were negated must not be negated again. So may both where the argument is donated.
// CHECK-LABEL: func.func private @negate.code(
// CHECK:         vector.maskedload
// CHECK:       func.func private @negate(%{{.*}}: tensor<3001xf32> {hlo.may_alias = array<i64: 0>}) ->
func.func @main(%a: tensor<3001xf32>) -> tensor<3001xf32> {
  %0 = call @negate(%a) : (tensor<3001xf32>) -> tensor<3001xf32>
  %1 = call @negate(%0) : (tensor<3001xf32>) -> tensor<3001xf32>
  return %1 : tensor<3001xf32>
}
func.func private @negate(%a: tensor<3001xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<3001xf32>
    attributes {hlo.kernel = "region"} {
  %e = tensor.empty() : tensor<3001xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<3001xf32>) outs(%e : tensor<3001xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<3001xf32>
  return %0 : tensor<3001xf32>
}

// -----

#id = affine_map<(i) -> (i)>

module attributes {hlo.donated = array<i64: 0>} {
  // CHECK-LABEL: func.func private @negate.code(
  // CHECK:         vector.maskedload
  func.func @main(%a: tensor<3001xf32>) -> tensor<3001xf32> {
    %0 = call @negate(%a) : (tensor<3001xf32>) -> tensor<3001xf32>
    return %0 : tensor<3001xf32>
  }
  func.func private @negate(%a: tensor<3001xf32> {hlo.may_alias = array<i64: 0>}) -> tensor<3001xf32>
      attributes {hlo.kernel = "region"} {
    %e = tensor.empty() : tensor<3001xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<3001xf32>) outs(%e : tensor<3001xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.negf %x : f32
      linalg.yield %s : f32
    } -> tensor<3001xf32>
    return %0 : tensor<3001xf32>
  }
}
