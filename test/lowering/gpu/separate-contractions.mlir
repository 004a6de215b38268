// A contraction is a kernel that is one launch: bytes that do not lie along k are stored anew by a kernel in front of it, and a sum over its rows,
// which is no epilogue, is a kernel behind it. With what is one already, nothing is done.
// RUN: hlo-opt %s --split-input-file --separate-contractions | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A:.*]]: tensor<512x256xi8>, %[[B:.*]]: tensor<256x512xi8>)
// CHECK: %[[T:.*]] = call @k_operands(%[[B]]) : (tensor<256x512xi8>) -> tensor<512x256xi8>
// CHECK: %[[P:.*]] = call @k(%[[A]], %[[T]]) : (tensor<512x256xi8>, tensor<512x256xi8>) -> tensor<512x512xi32>
// CHECK: %[[R:.*]] = call @k_rest(%[[P]]) : (tensor<512x512xi32>) -> tensor<512xi32>
// CHECK: return %[[R]]

// CHECK-LABEL: func.func private @k_operands({{.*}}) -> tensor<512x256xi8> attributes {hlo.kernel = "region"}
// CHECK-LABEL: func.func private @k({{.*}}) -> tensor<512x512xi32> attributes {hlo.kernel = "contraction"}
// CHECK: arith.muli
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func private @k_rest({{.*}}) -> tensor<512xi32> attributes {hlo.kernel = "region"}
// CHECK: iterator_types = ["parallel", "reduction"]

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%a: tensor<512x256xi8>, %b: tensor<256x512xi8>) -> tensor<512xi32> {
  %r = call @k(%a, %b) : (tensor<512x256xi8>, tensor<256x512xi8>) -> tensor<512xi32>
  return %r : tensor<512xi32>
}
func.func private @k(%a: tensor<512x256xi8>, %b: tensor<256x512xi8>) -> tensor<512xi32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<512x512xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<512x512xi32>) -> tensor<512x512xi32>
  %p = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x256xi8>, tensor<256x512xi8>) outs(%f : tensor<512x512xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<512x512xi32>
  %s = tensor.empty() : tensor<512xi32>
  %g = linalg.fill ins(%zero : i32) outs(%s : tensor<512xi32>) -> tensor<512xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<512x512xi32>) outs(%g : tensor<512xi32>) {
  ^bb0(%x: i32, %z: i32):
    %0 = arith.addi %z, %x : i32
    linalg.yield %0 : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: call @k(
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @k(
// CHECK-NOT: func.func private

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%a: tensor<512x256xbf16>, %b: tensor<256x512xbf16>) -> tensor<512x512xf32> {
  %r = call @k(%a, %b) : (tensor<512x256xbf16>, tensor<256x512xbf16>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
func.func private @k(%a: tensor<512x256xbf16>, %b: tensor<256x512xbf16>) -> tensor<512x512xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<512x256xbf16>, tensor<256x512xbf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<512x512xf32>
  %g = tensor.empty() : tensor<512x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<512x512xf32>) outs(%g : tensor<512x512xf32>) {
  ^bb0(%x: f32, %z: f32):
    %0 = math.absf %x : f32
    linalg.yield %0 : f32
  } -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
