// Parts of arrays are read where they are by products and attention, if 16 bytes of them begin at multiples of 16 and nothing writes
// the array in between.
// RUN: hlo-opt %s --read-slices | FileCheck %s
// RUN: hlo-opt %s --read-slices | FileCheck %s --check-prefix=KERNEL

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @layer
// CHECK-NEXT: call @slice_product_0(%arg0, %arg1, %arg2) : (tensor<128x64xbf16>, tensor<4x64x128xbf16>, tensor<i32>) -> tensor<128x128xf32>
// CHECK-NEXT: return
func.func @layer(%x: tensor<128x64xbf16>, %all: tensor<4x64x128xbf16>, %number: tensor<i32>) -> tensor<128x128xf32> {
  %n = tensor.extract %number[] : tensor<i32>
  %i = arith.index_cast %n : i32 to index
  %s = tensor.extract_slice %all[%i, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<4x64x128xbf16> to tensor<1x64x128xbf16>
  %w = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x64x128xbf16> into tensor<64x128xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<128x64xbf16>, tensor<64x128xbf16>) outs(%f : tensor<128x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// KERNEL-LABEL: func.func private @slice_product_0(
// KERNEL-SAME: hlo.kernel = "contraction"
// KERNEL: %[[W:.*]] = tensor.extract_slice %arg1[%{{.*}}, 0, 0] [1, 64, 128] [1, 1, 1] : tensor<4x64x128xbf16> to tensor<64x128xbf16>
// KERNEL: linalg.generic {{.*}} ins(%arg0, %[[W]] :

// 16 bytes of the left input do not begin at a multiple of 16 (3 elements of two bytes), of the right one they do.
// CHECK-LABEL: func.func @unaligned
// CHECK: %[[A:.*]] = tensor.extract_slice %arg0[0, 3] [128, 64] [1, 1]
// CHECK-NEXT: call @slice_product_1(%[[A]], %arg1) : (tensor<128x64xbf16>, tensor<64x192xbf16>) -> tensor<128x128xf32>
func.func @unaligned(%x: tensor<128x72xbf16>, %y: tensor<64x192xbf16>) -> tensor<128x128xf32> {
  %s = tensor.extract_slice %x[0, 3] [128, 64] [1, 1] : tensor<128x72xbf16> to tensor<128x64xbf16>
  %t = tensor.extract_slice %y[0, 8] [64, 128] [1, 1] : tensor<64x192xbf16> to tensor<64x128xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %t : tensor<128x64xbf16>, tensor<64x128xbf16>) outs(%f : tensor<128x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// What is in the array when the product comes is not what the slice has: the update may be made in place.
// CHECK-LABEL: func.func @overwritten
// CHECK: %[[T:.*]] = tensor.extract_slice
// CHECK: tensor.insert_slice
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[T]] :
func.func @overwritten(%x: tensor<128x64xbf16>, %y: tensor<64x192xbf16>, %new: tensor<64x8xbf16>)
    -> (tensor<128x128xf32>, tensor<64x192xbf16>) {
  %t = tensor.extract_slice %y[0, 8] [64, 128] [1, 1] : tensor<64x192xbf16> to tensor<64x128xbf16>
  %u = tensor.insert_slice %new into %y[0, 16] [64, 8] [1, 1] : tensor<64x8xbf16> into tensor<64x192xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %t : tensor<128x64xbf16>, tensor<64x128xbf16>) outs(%f : tensor<128x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<128x128xf32>
  return %r, %u : tensor<128x128xf32>, tensor<64x192xbf16>
}
