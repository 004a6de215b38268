// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s

// A stencil of a stencil: the inner one is stored, as every element of it is read at five places.
// CHECK-LABEL: func.func @two_sweeps(
// CHECK-COUNT-2: call @
// CHECK:       return
func.func @two_sweeps(%x: tensor<32x40xf32>) -> tensor<32x40xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %fifth = stablehlo.constant dense<0.2> : tensor<32x40xf32>
  %p = stablehlo.pad %x, %zero, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<32x40xf32>, tensor<f32>) -> tensor<34x42xf32>
  %n = stablehlo.slice %p [0:32, 1:41] : (tensor<34x42xf32>) -> tensor<32x40xf32>
  %s = stablehlo.slice %p [2:34, 1:41] : (tensor<34x42xf32>) -> tensor<32x40xf32>
  %w = stablehlo.slice %p [1:33, 0:40] : (tensor<34x42xf32>) -> tensor<32x40xf32>
  %e = stablehlo.slice %p [1:33, 2:42] : (tensor<34x42xf32>) -> tensor<32x40xf32>
  %ns = stablehlo.add %n, %s : tensor<32x40xf32>
  %we = stablehlo.add %w, %e : tensor<32x40xf32>
  %around = stablehlo.add %ns, %we : tensor<32x40xf32>
  %all = stablehlo.add %around, %x : tensor<32x40xf32>
  %y = stablehlo.multiply %all, %fifth : tensor<32x40xf32>
  %z = stablehlo.tanh %y : tensor<32x40xf32>
  %p1 = stablehlo.pad %z, %zero, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<32x40xf32>, tensor<f32>) -> tensor<34x42xf32>
  %n1 = stablehlo.slice %p1 [0:32, 1:41] : (tensor<34x42xf32>) -> tensor<32x40xf32>
  %s1 = stablehlo.slice %p1 [2:34, 1:41] : (tensor<34x42xf32>) -> tensor<32x40xf32>
  %r = stablehlo.add %n1, %s1 : tensor<32x40xf32>
  return %r : tensor<32x40xf32>
}

// -----

// Sums of neighbours of a row are cheap: they are computed again.
// CHECK-LABEL: func.func @neighbours(
// CHECK-COUNT-1: call @
// CHECK-NOT:   call @
// CHECK:       return
func.func @neighbours(%x: tensor<8x66xf32>) -> tensor<8x62xf32> {
  %a = stablehlo.slice %x [0:8, 0:64] : (tensor<8x66xf32>) -> tensor<8x64xf32>
  %b = stablehlo.slice %x [0:8, 1:65] : (tensor<8x66xf32>) -> tensor<8x64xf32>
  %c = stablehlo.slice %x [0:8, 2:66] : (tensor<8x66xf32>) -> tensor<8x64xf32>
  %ab = stablehlo.add %a, %b : tensor<8x64xf32>
  %y = stablehlo.add %ab, %c : tensor<8x64xf32>
  %d = stablehlo.slice %y [0:8, 0:62] : (tensor<8x64xf32>) -> tensor<8x62xf32>
  %e = stablehlo.slice %y [0:8, 1:63] : (tensor<8x64xf32>) -> tensor<8x62xf32>
  %f = stablehlo.slice %y [0:8, 2:64] : (tensor<8x64xf32>) -> tensor<8x62xf32>
  %de = stablehlo.add %d, %e : tensor<8x62xf32>
  %r = stablehlo.add %de, %f : tensor<8x62xf32>
  return %r : tensor<8x62xf32>
}

// -----

// Halves, and elements with a step, are read once each: nothing is computed again.
// CHECK-LABEL: func.func @read_once(
// CHECK-COUNT-1: call @
// CHECK-NOT:   call @
// CHECK:       return
func.func @read_once(%x: tensor<64xf32>) -> tensor<16xf32> {
  %t = stablehlo.tanh %x : tensor<64xf32>
  %a = stablehlo.slice %t [0:32:2] : (tensor<64xf32>) -> tensor<16xf32>
  %b = stablehlo.slice %t [1:32:2] : (tensor<64xf32>) -> tensor<16xf32>
  %c = stablehlo.slice %t [32:64:2] : (tensor<64xf32>) -> tensor<16xf32>
  %d = stablehlo.slice %t [33:64:2] : (tensor<64xf32>) -> tensor<16xf32>
  %ab = stablehlo.add %a, %b : tensor<16xf32>
  %cd = stablehlo.add %c, %d : tensor<16xf32>
  %r = stablehlo.add %ab, %cd : tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// Users that are computed for the same element read it at one place.
// CHECK-LABEL: func.func @one_place(
// CHECK-COUNT-1: call @
// CHECK-NOT:   call @
// CHECK:       return
func.func @one_place(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %t = stablehlo.tanh %x : tensor<16x32xf32>
  %u = stablehlo.add %t, %x : tensor<16x32xf32>
  %v = stablehlo.multiply %t, %u : tensor<16x32xf32>
  return %v : tensor<16x32xf32>
}
