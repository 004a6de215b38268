// What pads a contraction's input is moved from the region in front of it into the contraction; what the region computes is given
// without zeros. Padding with something else stays, and so does what others read too.
// RUN: hlo-opt %s --fold-padding | FileCheck %s
// RUN: hlo-opt %s --fold-padding | FileCheck %s --check-prefix=KERNEL

// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = call @exp_0(%arg0) : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
// CHECK: call @insert_convolution(%[[E]], %arg1) : (tensor<2x16x16xf32>, tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
// CHECK: call @insert_convolution(%arg0, %arg1)
func.func @main(%x: tensor<2x16x16xf32>, %w: tensor<3x16x16xf32>) -> (tensor<2x16x16xf32>, tensor<2x16x16xf32>) {
  %0 = call @exp_insert_0(%x) : (tensor<2x16x16xf32>) -> tensor<2x18x16xf32>
  %1 = call @convolution(%0, %w) : (tensor<2x18x16xf32>, tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
  %2 = call @insert_0(%x) : (tensor<2x16x16xf32>) -> tensor<2x18x16xf32>
  %3 = call @convolution(%2, %w) : (tensor<2x18x16xf32>, tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
  return %1, %3 : tensor<2x16x16xf32>, tensor<2x16x16xf32>
}

// CHECK-LABEL: func.func @others
// CHECK: call @ones_0
// CHECK: call @convolution
// CHECK: call @exp_insert_0
// CHECK: call @convolution
func.func @others(%x: tensor<2x16x16xf32>, %w: tensor<3x16x16xf32>)
    -> (tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x18x16xf32>) {
  %0 = call @ones_0(%x) : (tensor<2x16x16xf32>) -> tensor<2x18x16xf32>
  %1 = call @convolution(%0, %w) : (tensor<2x18x16xf32>, tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
  %2 = call @exp_insert_0(%x) : (tensor<2x16x16xf32>) -> tensor<2x18x16xf32>
  %3 = call @convolution(%2, %w) : (tensor<2x18x16xf32>, tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
  return %1, %3, %2 : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x18x16xf32>
}

func.func private @exp_insert_0(%x: tensor<2x16x16xf32>) -> tensor<2x18x16xf32> attributes {hlo.kernel = "region"} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x16x16xf32>
  %1 = linalg.exp ins(%x : tensor<2x16x16xf32>) outs(%0 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %2 = tensor.empty() : tensor<2x18x16xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<2x18x16xf32>) -> tensor<2x18x16xf32>
  %4 = tensor.insert_slice %1 into %3[0, 1, 0] [2, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> into tensor<2x18x16xf32>
  return %4 : tensor<2x18x16xf32>
}

func.func private @insert_0(%x: tensor<2x16x16xf32>) -> tensor<2x18x16xf32> attributes {hlo.kernel = "region"} {
  %zero = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x18x16xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<2x18x16xf32>) -> tensor<2x18x16xf32>
  %4 = tensor.insert_slice %x into %3[0, 1, 0] [2, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> into tensor<2x18x16xf32>
  return %4 : tensor<2x18x16xf32>
}

func.func private @ones_0(%x: tensor<2x16x16xf32>) -> tensor<2x18x16xf32> attributes {hlo.kernel = "region"} {
  %one = arith.constant 1.0 : f32
  %2 = tensor.empty() : tensor<2x18x16xf32>
  %3 = linalg.fill ins(%one : f32) outs(%2 : tensor<2x18x16xf32>) -> tensor<2x18x16xf32>
  %4 = tensor.insert_slice %x into %3[0, 1, 0] [2, 16, 16] [1, 1, 1] : tensor<2x16x16xf32> into tensor<2x18x16xf32>
  return %4 : tensor<2x18x16xf32>
}

// KERNEL: func.func private @insert_convolution(%[[X:.*]]: tensor<2x16x16xf32>, %{{.*}}: tensor<3x16x16xf32>)
// KERNEL-SAME: hlo.kernel = "contraction"
// KERNEL: tensor.insert_slice %[[X]] into %{{.*}}[0, 1, 0] [2, 16, 16] [1, 1, 1]
// KERNEL: linalg.generic
func.func private @convolution(%x: tensor<2x18x16xf32>, %w: tensor<3x16x16xf32>) -> tensor<2x16x16xf32>
    attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x16x16xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %2 = linalg.generic {
    indexing_maps = [affine_map<(n, x, o, k, c) -> (n, x + k, c)>, affine_map<(n, x, o, k, c) -> (k, c, o)>,
                     affine_map<(n, x, o, k, c) -> (n, x, o)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<2x18x16xf32>, tensor<3x16x16xf32>) outs(%1 : tensor<2x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x16x16xf32>
  return %2 : tensor<2x16x16xf32>
}
