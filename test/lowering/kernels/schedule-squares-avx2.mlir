// RUN: env HLO_CPU=avx2 hlo-opt %s --compile-to=kernels | FileCheck %s

// Complex f64, of which two fill a register: squares of 4 in which something is computed with the parts, and of 2 in copies.

// CHECK: func.func private @re_im_neg_create_0
// CHECK-SAME: unroll = 4 : i64, unroll_loop = "d0", vector = 4 : i64, vectorize = "d1"
// CHECK: func.func private @copy_0
// CHECK-SAME: unroll = 2 : i64, unroll_loop = "d0", vector = 2 : i64, vectorize = "d1"
func.func @main(%x: tensor<64x40xcomplex<f64>>, %y: tensor<64x40xcomplex<f64>>) -> (tensor<40x64xcomplex<f64>>, tensor<40x64xcomplex<f64>>) {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x40xcomplex<f64>>) -> tensor<40x64xcomplex<f64>>
  %re = stablehlo.real %t : (tensor<40x64xcomplex<f64>>) -> tensor<40x64xf64>
  %im = stablehlo.imag %t : (tensor<40x64xcomplex<f64>>) -> tensor<40x64xf64>
  %n = stablehlo.negate %im : tensor<40x64xf64>
  %a = stablehlo.complex %re, %n : tensor<40x64xcomplex<f64>>
  %u = stablehlo.transpose %y, dims = [1, 0] : (tensor<64x40xcomplex<f64>>) -> tensor<40x64xcomplex<f64>>
  return %a, %u : tensor<40x64xcomplex<f64>>, tensor<40x64xcomplex<f64>>
}
