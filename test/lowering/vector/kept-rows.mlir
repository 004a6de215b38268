// RUN: env HLO_CPU=avx2 hlo-opt %s --split-input-file --compile-to=memory | FileCheck %s

// What a sweep computes for a row of up to 256 KiB is kept for the next one; of a longer row it is computed again.

// CHECK-LABEL: func.func public @main(%{{.*}}: memref<2x65536xf32>
// CHECK: memref.alloca() {{.*}}: memref<65536xf32>
// CHECK-COUNT-4: math.exp
// CHECK-NOT: math.exp
// CHECK: arith.divf
func.func @main(%x: tensor<2x65536xf32>) -> tensor<2x65536xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x65536xf32>, tensor<f32>) -> tensor<2xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<2xf32>) -> tensor<2x65536xf32>
  %c = stablehlo.subtract %x, %mb : tensor<2x65536xf32>
  %e = stablehlo.exponential %c : tensor<2x65536xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x65536xf32>, tensor<f32>) -> tensor<2xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<2xf32>) -> tensor<2x65536xf32>
  %r = stablehlo.divide %e, %sb : tensor<2x65536xf32>
  return %r : tensor<2x65536xf32>
}

// -----

// CHECK-LABEL: func.func public @main(%{{.*}}: memref<2x40000xf64>
// CHECK-NOT: memref.alloca
// CHECK-COUNT-8: math.exp
// CHECK: arith.divf
func.func @main(%x: tensor<2x40000xf64>) -> tensor<2x40000xf64> {
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x40000xf64>, tensor<f64>) -> tensor<2xf64>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<2xf64>) -> tensor<2x40000xf64>
  %c = stablehlo.subtract %x, %mb : tensor<2x40000xf64>
  %e = stablehlo.exponential %c : tensor<2x40000xf64>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x40000xf64>, tensor<f64>) -> tensor<2xf64>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<2xf64>) -> tensor<2x40000xf64>
  %r = stablehlo.divide %e, %sb : tensor<2x40000xf64>
  return %r : tensor<2x40000xf64>
}

// -----

// CHECK-LABEL: func.func public @main(%{{.*}}: memref<2x32768xf64>
// CHECK: memref.alloca() {{.*}}: memref<32768xf64>
// CHECK-COUNT-4: math.exp
// CHECK-NOT: math.exp
// CHECK: arith.divf
func.func @main(%x: tensor<2x32768xf64>) -> tensor<2x32768xf64> {
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x32768xf64>, tensor<f64>) -> tensor<2xf64>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<2xf64>) -> tensor<2x32768xf64>
  %c = stablehlo.subtract %x, %mb : tensor<2x32768xf64>
  %e = stablehlo.exponential %c : tensor<2x32768xf64>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x32768xf64>, tensor<f64>) -> tensor<2xf64>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<2xf64>) -> tensor<2x32768xf64>
  %r = stablehlo.divide %e, %sb : tensor<2x32768xf64>
  return %r : tensor<2x32768xf64>
}
