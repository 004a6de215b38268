// RUN: hlo-opt %s --schedule-kernels | hlo-opt --compile-from=kernels --compile-to=memory | FileCheck %s

// The packed operand of a product lies in the arena of the host function, not in memory allocated by the call.
// CHECK: hlo.arena
// CHECK-NOT: memref.alloc
// CHECK: func.func private @dot_0.code(%{{.*}}: memref<{{[0-9]+}}xi8>)
// CHECK: func.func public @main
// CHECK-SAME: %[[ARENA:[a-z0-9]+]]: memref<{{[0-9]+}}xi8>)
// CHECK: %[[WORKSPACE:.*]] = memref.view %[[ARENA]]
// CHECK: call @dot_0.code(%{{.*}}, %{{.*}}, %{{.*}}, %[[WORKSPACE]])
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func private @dot_0(%x: tensor<64x80xf32>, %y: tensor<96x80xf32>) -> tensor<64x96xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<64x80xf32>, tensor<96x80xf32>) outs(%init : tensor<64x96xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
func.func public @main(%x: tensor<64x80xf32>, %y: tensor<96x80xf32>) -> tensor<64x96xf32> {
  %r = call @dot_0(%x, %y) : (tensor<64x80xf32>, tensor<96x80xf32>) -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
