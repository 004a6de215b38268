// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: env HLO_CPU=avx2 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s --check-prefixes=CHECK,FEW

// Arithmetic takes the time: as many vectors a step as registers allow.

// CHECK: func.func private @tanh_0
// CHECK-SAME: unroll = 8 : i64
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = stablehlo.tanh %x : tensor<4096x1024xf32>
  %1 = stablehlo.tanh %0 : tensor<4096x1024xf32>
  return %1 : tensor<4096x1024xf32>
}

// -----

// The polynomials of f64 take more registers.

// CHECK: func.func private @tanh_0
// WIDE-SAME: unroll = 8 : i64
// FEW-SAME: unroll = 4 : i64
func.func @main(%x: tensor<4096x1024xf64>) -> tensor<4096x1024xf64> {
  %0 = stablehlo.tanh %x : tensor<4096x1024xf64>
  %1 = stablehlo.tanh %0 : tensor<4096x1024xf64>
  return %1 : tensor<4096x1024xf64>
}

// -----

// Memory takes it.

// CHECK: func.func private @mul_add_0
// CHECK-SAME: unroll = 4 : i64
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4096x1024xf32>
  %1 = stablehlo.add %0, %x : tensor<4096x1024xf32>
  return %1 : tensor<4096x1024xf32>
}

// -----

// Large angles take a branch, which all values of a step are kept across.

// CHECK: func.func private @tanh_sin_0
// CHECK-SAME: unroll = 4 : i64
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = stablehlo.tanh %x : tensor<4096x1024xf32>
  %1 = stablehlo.sine %0 : tensor<4096x1024xf32>
  return %1 : tensor<4096x1024xf32>
}

// -----

// Angles of 16 bits take none, or a short one.

// CHECK: func.func private @ext_tanh_trunc_sin_0
// CHECK-SAME: unroll = 8 : i64
func.func @main(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %0 = stablehlo.tanh %x : tensor<4096x1024xf16>
  %1 = stablehlo.sine %0 : tensor<4096x1024xf16>
  return %1 : tensor<4096x1024xf16>
}

// -----

// Long bodies: four vectors where that saves more than it takes to compile.

// CHECK: func.func private @tanh_0
// CHECK-SAME: unroll = 4 : i64
func.func @main(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %0 = stablehlo.tanh %x : tensor<64x1024xf32>
  %1 = stablehlo.tanh %0 : tensor<64x1024xf32>
  %2 = stablehlo.tanh %1 : tensor<64x1024xf32>
  %3 = stablehlo.tanh %2 : tensor<64x1024xf32>
  return %3 : tensor<64x1024xf32>
}

// -----

// CHECK: func.func private @tanh_0
// CHECK-SAME: unroll = 1 : i64
func.func @main(%x: tensor<2x1024xf32>) -> tensor<2x1024xf32> {
  %0 = stablehlo.tanh %x : tensor<2x1024xf32>
  %1 = stablehlo.tanh %0 : tensor<2x1024xf32>
  %2 = stablehlo.tanh %1 : tensor<2x1024xf32>
  %3 = stablehlo.tanh %2 : tensor<2x1024xf32>
  return %3 : tensor<2x1024xf32>
}
