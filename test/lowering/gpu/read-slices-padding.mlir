// What pads a contraction's input is done by the contraction's kernel, also if a dimension is split on the way. Padding with
// something else is an array in memory, and so is what others read too.
// RUN: hlo-opt %s --read-slices | FileCheck %s
// RUN: hlo-opt %s --read-slices | FileCheck %s --check-prefix=KERNEL

#input = affine_map<(n, x, o, k, c) -> (n, x + k, c)>
#window = affine_map<(n, x, o, k, c) -> (k, c, o)>
#result = affine_map<(n, x, o, k, c) -> (n, x, o)>
#convolution = {indexing_maps = [#input, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}

// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = linalg.exp
// CHECK: call @slice_product_0(%[[E]], %arg1) : (tensor<2x16x16xf32>, tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
// CHECK: call @slice_product_1(%arg2, %arg1) : (tensor<2x16x16xf32>, tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
func.func @main(%x: tensor<2x16x16xf32>, %w: tensor<3x16x16xf32>, %y: tensor<2x16x16xf32>) -> (tensor<2x16x16xf32>, tensor<2x16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x16x16xf32>
  %e = linalg.exp ins(%x : tensor<2x16x16xf32>) outs(%0 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %2 = tensor.empty() : tensor<2x18x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%2 : tensor<2x18x16xf32>) -> tensor<2x18x16xf32>
  %padded = tensor.insert_slice %e into %zeros[0, 1, 0] [2, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> into tensor<2x18x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %r = linalg.generic #convolution ins(%padded, %w : tensor<2x18x16xf32>, tensor<3x16x16xf32>) outs(%start : tensor<2x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x16x16xf32>
  %lines = tensor.insert_slice %y into %zeros[0, 0, 0] [2, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> into tensor<2x18x16xf32>
  %split = tensor.expand_shape %lines [[0], [1], [2, 3]] output_shape [2, 18, 16, 1] : tensor<2x18x16xf32> into tensor<2x18x16x1xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(n, x, o, k, c, u) -> (n, x + k, c, u)>, affine_map<(n, x, o, k, c, u) -> (k, c, o)>,
                                        affine_map<(n, x, o, k, c, u) -> (n, x, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%split, %w : tensor<2x18x16x1xf32>, tensor<3x16x16xf32>) outs(%start : tensor<2x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x16x16xf32>
  return %r, %g : tensor<2x16x16xf32>, tensor<2x16x16xf32>
}

// CHECK-LABEL: func.func @others
// CHECK-NOT: call
// CHECK: return
func.func @others(%x: tensor<2x16x16xf32>, %w: tensor<3x16x16xf32>)
    -> (tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x18x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<2x16x16xf32>
  %2 = tensor.empty() : tensor<2x18x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%2 : tensor<2x18x16xf32>) -> tensor<2x18x16xf32>
  %ones = linalg.fill ins(%one : f32) outs(%2 : tensor<2x18x16xf32>) -> tensor<2x18x16xf32>
  %first = tensor.insert_slice %x into %ones[0, 1, 0] [2, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> into tensor<2x18x16xf32>
  %second = tensor.insert_slice %x into %zeros[0, 1, 0] [2, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> into tensor<2x18x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %r = linalg.generic #convolution ins(%first, %w : tensor<2x18x16xf32>, tensor<3x16x16xf32>) outs(%start : tensor<2x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x16x16xf32>
  %q = linalg.generic #convolution ins(%second, %w : tensor<2x18x16xf32>, tensor<3x16x16xf32>) outs(%start : tensor<2x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x16x16xf32>
  return %r, %q, %second : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x18x16xf32>
}

// KERNEL: func.func private @slice_product_0(%[[X:.*]]: tensor<2x16x16xf32>, %{{.*}}: tensor<3x16x16xf32>)
// KERNEL-SAME: hlo.kernel = "contraction"
// KERNEL: tensor.insert_slice %[[X]] into %{{.*}}[0, 1, 0] [2, 16, 16] [1, 1, 1]
// KERNEL: linalg.generic
// KERNEL: func.func private @slice_product_1(
// KERNEL: tensor.insert_slice
// KERNEL: tensor.expand_shape
// KERNEL: linalg.generic
