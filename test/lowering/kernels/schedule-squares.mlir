// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s

// Reads that are transposed: squares of 16 in registers.

// CHECK: func.func private @tanh_add_0
// CHECK-SAME: unroll = 16 : i64, unroll_loop = "d0", vector = 16 : i64, vectorize = "d1"
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h0 = stablehlo.tanh %x : tensor<64x64xf32>
  %a0 = stablehlo.add %h0, %t0 : tensor<64x64xf32>
  return %a0 : tensor<64x64xf32>
}

// -----

// Where much is computed, a square would be many times the code: reads that jump cost little beside it.

// CHECK: func.func private @tanh_add_0
// CHECK-SAME: unroll = 2 : i64, unroll_loop = "d[[LANES:[01]]]", vector = 16 : i64, vectorize = "d[[LANES]]"
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h0 = stablehlo.tanh %x : tensor<64x64xf32>
  %a0 = stablehlo.add %h0, %t0 : tensor<64x64xf32>
  %t1 = stablehlo.transpose %a0, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h1 = stablehlo.tanh %a0 : tensor<64x64xf32>
  %a1 = stablehlo.add %h1, %t1 : tensor<64x64xf32>
  %t2 = stablehlo.transpose %a1, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h2 = stablehlo.tanh %a1 : tensor<64x64xf32>
  %a2 = stablehlo.add %h2, %t2 : tensor<64x64xf32>
  %t3 = stablehlo.transpose %a2, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h3 = stablehlo.tanh %a2 : tensor<64x64xf32>
  %a3 = stablehlo.add %h3, %t3 : tensor<64x64xf32>
  %t4 = stablehlo.transpose %a3, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h4 = stablehlo.tanh %a3 : tensor<64x64xf32>
  %a4 = stablehlo.add %h4, %t4 : tensor<64x64xf32>
  %t5 = stablehlo.transpose %a4, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h5 = stablehlo.tanh %a4 : tensor<64x64xf32>
  %a5 = stablehlo.add %h5, %t5 : tensor<64x64xf32>
  %t6 = stablehlo.transpose %a5, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h6 = stablehlo.tanh %a5 : tensor<64x64xf32>
  %a6 = stablehlo.add %h6, %t6 : tensor<64x64xf32>
  %t7 = stablehlo.transpose %a6, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %h7 = stablehlo.tanh %a6 : tensor<64x64xf32>
  %a7 = stablehlo.add %h7, %t7 : tensor<64x64xf32>
  return %a7 : tensor<64x64xf32>
}
