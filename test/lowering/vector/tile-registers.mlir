// RUN: env HLO_CPU=amx hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s
// RUN: env HLO_CPU=amx hlo-opt %s --split-input-file --compile-to=llvm | FileCheck %s --check-prefix=LLVM

// A row of 64 bytes is 32 elements of bf16. 45 rows are a tile of 32 and one of 13, with registers configured for each.
// CHECK: dot_product = 32 : i64
// CHECK-SAME: unroll_m = 32 : i64, unroll_n = 2 : i64
// LLVM: llvm.call @hlo_routine_registers_rows_32_columns_32_lanes_16()
// LLVM: llvm.call @hlo_routine_matrix_rows_32_vectors_2_lanes_16_a_type_bf16_b_type_bf16_
// LLVM: "llvm.x86.tilerelease"
func.func @bf16(%x: tensor<45x70xbf16>, %y: tensor<70x50xbf16>) -> tensor<45x50xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<45x70xbf16>, tensor<70x50xbf16>) -> tensor<45x50xf32>
  return %r : tensor<45x50xf32>
}

// -----

// Bytes of either sign have an instruction each: nothing is flipped.
// CHECK: dot_product = 64 : i64
// LLVM: llvm.call @hlo_routine_matrix_{{.*}}_a_type_i8_b_type_i8_c_type_i32_a_row_64_a_depth_128_a_extend_arith.extsi_b_extend_arith.extui_
func.func @bytes(%x: tensor<45x70xi8>, %y: tensor<70x50xui8>) -> tensor<45x50xi32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<45x70xi8>, tensor<70x50xui8>) -> tensor<45x50xi32>
  return %r : tensor<45x50xi32>
}

// -----

// Seven rows do not pay for packing.
// CHECK: dot_product = 1 : i64
func.func @few_rows(%x: tensor<7x70xbf16>, %y: tensor<70x50xbf16>) -> tensor<7x50xf32> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<7x70xbf16>, tensor<70x50xbf16>) -> tensor<7x50xf32>
  return %r : tensor<7x50xf32>
}
