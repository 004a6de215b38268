// RUN: rm -rf %t %t.d && mkdir %t.d && env HLO_DUMP_TO=%t hlo-run %s && env HLO_DUMP_TO=%t hlo-compile %s -o %t.d/model && env HLO_DUMP_TO=%t hlo-opt %s --compile-to=linalg -o /dev/null
// RUN: hlo-opt %t/0000_scaled/01_linalg.mlir --compile-from=linalg --compile-to=kernels | FileCheck %s
// RUN: ls %t %t/0002_scaled | FileCheck %s --check-prefix=FILES
// RUN: not env HLO_DUMP_TO=/dev/null hlo-run %s 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK: hlo.kernel
// FILES: 0000_scaled
// FILES-NEXT: 0001_scaled
// FILES-NEXT: 0002_scaled
// FILES: 00_stablehlo.mlir
// FILES-NEXT: 01_linalg.mlir
// FILES-NEXT: program.mlir
// REFUSED: hlo-run: error: HLO_DUMP_TO: cannot make folder '/dev/null': File exists
module @scaled {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = stablehlo.add %x, %x : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
