// RUN: env HLO_CPU=avx512 hlo-opt %s --split-input-file --compile-to=kernels | FileCheck %s

// A roll that a kernel reads is not copied: the loop along which both ends of the array are read has its ends peeled.
// CHECK-LABEL: func.func @neighbours(
// CHECK-COUNT-1: call @
// CHECK-NOT:   call @
// CHECK:       peel = [0, 1]
func.func @neighbours(%x: tensor<64x400xf32>) -> tensor<64x400xf32> {
  %a = stablehlo.slice %x [0:64, 399:400] : (tensor<64x400xf32>) -> tensor<64x1xf32>
  %b = stablehlo.slice %x [0:64, 0:399] : (tensor<64x400xf32>) -> tensor<64x399xf32>
  %r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<64x1xf32>, tensor<64x399xf32>) -> tensor<64x400xf32>
  %c = stablehlo.slice %x [1:64, 0:400] : (tensor<64x400xf32>) -> tensor<63x400xf32>
  %d = stablehlo.slice %x [0:1, 0:400] : (tensor<64x400xf32>) -> tensor<1x400xf32>
  %s = stablehlo.concatenate %c, %d, dim = 0 : (tensor<63x400xf32>, tensor<1x400xf32>) -> tensor<64x400xf32>
  %y = stablehlo.subtract %r, %s : tensor<64x400xf32>
  return %y : tensor<64x400xf32>
}

// -----

// One along rows is a number for all lanes: no loop is peeled.
// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-1: call @
// CHECK-NOT:   call @
// CHECK:       peel = [0, 0]
func.func @rows(%x: tensor<64x400xf32>) -> tensor<64x400xf32> {
  %a = stablehlo.slice %x [30:64, 0:400] : (tensor<64x400xf32>) -> tensor<34x400xf32>
  %b = stablehlo.slice %x [0:30, 0:400] : (tensor<64x400xf32>) -> tensor<30x400xf32>
  %r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<34x400xf32>, tensor<30x400xf32>) -> tensor<64x400xf32>
  %y = stablehlo.subtract %x, %r : tensor<64x400xf32>
  return %y : tensor<64x400xf32>
}

// -----

// A result that others read rolled is stored first, so that each kernel may write where its operands are.
// CHECK-LABEL: func.func @leapfrog(
// CHECK-COUNT-2: call @
// CHECK-NOT:   call @
// CHECK:       hlo.may_alias
func.func @leapfrog(%u: tensor<400xf32>, %v: tensor<400xf32>) -> (tensor<400xf32>, tensor<400xf32>) {
  %a = stablehlo.slice %v [399:400] : (tensor<400xf32>) -> tensor<1xf32>
  %b = stablehlo.slice %v [0:399] : (tensor<400xf32>) -> tensor<399xf32>
  %r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xf32>, tensor<399xf32>) -> tensor<400xf32>
  %p = stablehlo.add %u, %r : tensor<400xf32>
  %c = stablehlo.slice %p [1:400] : (tensor<400xf32>) -> tensor<399xf32>
  %d = stablehlo.slice %p [0:1] : (tensor<400xf32>) -> tensor<1xf32>
  %s = stablehlo.concatenate %c, %d, dim = 0 : (tensor<399xf32>, tensor<1xf32>) -> tensor<400xf32>
  %q = stablehlo.add %v, %s : tensor<400xf32>
  return %p, %q : tensor<400xf32>, tensor<400xf32>
}

// -----

// Two slices that do not give all of an array in another order, halves that are changed over along a row, and a roll that is the result are
// written by kernels of their own.
// CHECK-LABEL: func.func @other(
// CHECK-COUNT-4: call @
// CHECK:       return
func.func @other(%x: tensor<400xf32>) -> (tensor<400xf32>, tensor<400xf32>, tensor<400xf32>) {
  %a = stablehlo.slice %x [398:399] : (tensor<400xf32>) -> tensor<1xf32>
  %b = stablehlo.slice %x [0:399] : (tensor<400xf32>) -> tensor<399xf32>
  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xf32>, tensor<399xf32>) -> tensor<400xf32>
  %y = stablehlo.negate %c : tensor<400xf32>
  %d = stablehlo.slice %x [200:400] : (tensor<400xf32>) -> tensor<200xf32>
  %e = stablehlo.slice %x [0:200] : (tensor<400xf32>) -> tensor<200xf32>
  %f = stablehlo.concatenate %d, %e, dim = 0 : (tensor<200xf32>, tensor<200xf32>) -> tensor<400xf32>
  %z = stablehlo.negate %f : tensor<400xf32>
  %g = stablehlo.slice %x [399:400] : (tensor<400xf32>) -> tensor<1xf32>
  %h = stablehlo.concatenate %g, %b, dim = 0 : (tensor<1xf32>, tensor<399xf32>) -> tensor<400xf32>
  return %y, %z, %h : tensor<400xf32>, tensor<400xf32>, tensor<400xf32>
}
