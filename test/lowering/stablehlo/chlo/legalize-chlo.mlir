// RUN: hlo-opt %s --legalize-chlo | FileCheck %s

// CHECK-LABEL: @square
// CHECK-NEXT: stablehlo.multiply %arg0, %arg0
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Half precision is computed in f32 and rounded once.
// CHECK-LABEL: @half
// CHECK-NEXT: stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK-NOT: chlo.
// CHECK: stablehlo.convert {{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
func.func @half(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = chlo.asinh %x : tensor<4xbf16> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @broadcasts
// CHECK-NEXT: stablehlo.broadcast_in_dim %arg1, dims = [1]
// CHECK-NEXT: stablehlo.add
func.func @broadcasts(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @top_k
// CHECK: stablehlo.iota dim = 1
// CHECK: stablehlo.sort
// CHECK: stablehlo.compare GT, {{.*}} TOTALORDER
// CHECK-COUNT-2: stablehlo.slice {{.*}} [0:3, 0:2]
func.func @top_k(%x: tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<3x5xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
}

// Long functions are one op of the linalg phase.
// CHECK-LABEL: @long
// CHECK-NEXT: chlo.lgamma %arg0
// CHECK-NEXT: chlo.digamma
// CHECK-NEXT: chlo.bessel_i1e
// CHECK-NEXT: chlo.erf
// CHECK-NEXT: chlo.erf_inv
// CHECK-NEXT: chlo.erfc
// CHECK-NEXT: chlo.zeta
// CHECK-NEXT: chlo.polygamma
func.func @long(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.digamma %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.bessel_i1e %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.erf %2 : tensor<4xf32> -> tensor<4xf32>
  %4 = chlo.erf_inv %3 : tensor<4xf32> -> tensor<4xf32>
  %5 = chlo.erfc %4 : tensor<4xf32> -> tensor<4xf32>
  %6 = chlo.zeta %x, %5 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %7 = chlo.polygamma %x, %6 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// Those of constants are folded.
// CHECK-LABEL: @of_constants
// CHECK-NOT: chlo.
// CHECK: return
func.func @of_constants() -> tensor<4xf32> {
  %x = stablehlo.constant dense<0.5> : tensor<4xf32>
  %0 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
