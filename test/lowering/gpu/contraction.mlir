// RUN: hlo-opt %s --target=gpu --compile-to=ptx | FileCheck %s

// CHECK: .shared .align 16 .b8
// CHECK: bar.sync
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @main(%x: tensor<256x128xbf16>, %w: tensor<128x384xbf16>) -> tensor<256x384xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x128xbf16>, tensor<128x384xbf16>) -> tensor<256x384xf32>
  return %0 : tensor<256x384xf32>
}
