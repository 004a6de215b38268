// RUN: env HLO_CPU=avx2 hlo-opt %s --compile-to=kernels | FileCheck %s --check-prefixes=CHECK,FEW
// RUN: env HLO_CPU=avx512 hlo-opt %s --compile-to=kernels | FileCheck %s --check-prefixes=CHECK,MANY

// Rows of 20 elements, transposed in registers: a vector for each element of a row. Of bf16, which is computed as f32, 20 vectors are more than 16 registers
// hold; vectors then go along the rows.

// CHECK-LABEL: func.func private @ext_mul_trunc_0
// FEW-SAME:    interleave = 1 : i64, {{.*}} vectorize = "d1"
// MANY-SAME:   interleave = 20 : i64, {{.*}} vectorize = "d0"
// CHECK-LABEL: func.func private @mul_0
// CHECK-SAME:  interleave = 16 : i64, {{.*}} vectorize = "d0"
func.func @main(%a: tensor<5000xbf16>, %b: tensor<20xbf16>, %c: tensor<16x5000xf32>, %d: tensor<16xf32>) -> (tensor<5000x20xbf16>, tensor<5000x16xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<5000xbf16>) -> tensor<5000x20xbf16>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<20xbf16>) -> tensor<5000x20xbf16>
  %2 = stablehlo.multiply %0, %1 : tensor<5000x20xbf16>
  %3 = stablehlo.transpose %c, dims = [1, 0] : (tensor<16x5000xf32>) -> tensor<5000x16xf32>
  %4 = stablehlo.broadcast_in_dim %d, dims = [1] : (tensor<16xf32>) -> tensor<5000x16xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<5000x16xf32>
  return %2, %5 : tensor<5000x20xbf16>, tensor<5000x16xf32>
}
