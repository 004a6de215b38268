// RUN: hlo-opt %s --schedule-kernels='target=avx512' | FileCheck %s
// RUN: hlo-opt %s --schedule-kernels='target=avx512' | hlo-opt --emit-kernels='target=avx512' | FileCheck %s --check-prefix=CODE
// RUN: hlo-opt %s --schedule-kernels='target=avx512' | sed 's/unroll_m = [0-9]*/unroll_m = 3/' | hlo-opt --emit-kernels='target=avx512' | FileCheck %s --check-prefix=EDITED
// RUN: hlo-opt %s --schedule-kernels='target=avx512' | sed 's/unroll_m = [0-9]*/unroll_m = 3000/' | not hlo-opt --emit-kernels='target=avx512' 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not hlo-opt %s --emit-kernels 2>&1 | FileCheck %s --check-prefix=NONE

// Rows of B are as long as a few vectors: n runs in them, both operands are read where they are, 8 rows of A at a time leave none over.
// CHECK: hlo.schedule = {block_k = 0 : i64, block_m = 0 : i64, block_n = 0 : i64, dot_product = 1 : i64, k_outside = false, keep_b = false,
// CHECK-SAME: pack_a = "none", pack_b = "none", parallel = "none", prefetch_b = 0 : i64, swap_operands = false, threads = 1 : i64,
// CHECK-SAME: unroll_m = 8 : i64, unroll_n = 3 : i64, vector = 16 : i64, vectorize = "n"}
// CODE: llvm.call @hlo_routine_tile_rows_8_vectors_3_lanes_16_a_type_f32_b_type_f32_c_type_f32_a_depth_1(
// EDITED: llvm.call @hlo_routine_tile_rows_3_vectors_3_
// WRONG: error: kernel @dot_0: hlo.schedule: unroll_m: found 3000, allowed: 1 to {{[0-9]+}} ({{[0-9]}} vectors each, 32 registers)
// NONE: error: kernel @dot_0: hlo.schedule: schedule: found nothing, allowed: what the pass schedule-kernels writes
func.func private @dot_0(%x: tensor<64x80xf32>, %y: tensor<80x48xf32>) -> tensor<64x48xf32> attributes {hlo.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<64x80xf32>, tensor<80x48xf32>) outs(%init : tensor<64x48xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}
func.func public @main(%x: tensor<64x80xf32>, %y: tensor<80x48xf32>) -> tensor<64x48xf32> {
  %r = call @dot_0(%x, %y) : (tensor<64x80xf32>, tensor<80x48xf32>) -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}
