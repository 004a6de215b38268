// RUN: env HLO_THREADS=2 HLO_CPU=avx512 hlo-opt %s --compile-to=kernels | FileCheck %s

// Elements of a column take a cache line each: there is work for as many parts as threads may have, where contiguous ones
// are one part.
// CHECK-LABEL: func.func private @slice_add_0
// CHECK-SAME: loops = [20000]
// CHECK-SAME: threads = 5 : i64
// CHECK-LABEL: func.func private @add_0
// CHECK-SAME: loops = [20000]
// CHECK-SAME: threads = 1 : i64
func.func @main(%x: tensor<20000x16xf32>, %y: tensor<20000xf32>) -> (tensor<20000x1xf32>, tensor<20000xf32>) {
  %0 = stablehlo.slice %x [0:20000, 3:4] : (tensor<20000x16xf32>) -> tensor<20000x1xf32>
  %1 = stablehlo.add %0, %0 : tensor<20000x1xf32>
  %2 = stablehlo.add %y, %y : tensor<20000xf32>
  return %1, %2 : tensor<20000x1xf32>, tensor<20000xf32>
}
