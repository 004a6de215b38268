// RUN: hlo-opt %s --compile-to=stablehlo | FileCheck %s --check-prefix=STABLEHLO
// RUN: hlo-opt %s --compile-to=linalg | FileCheck %s --check-prefix=LINALG
// RUN: hlo-opt %s --compile-to=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: hlo-opt %s --compile-to=memory | FileCheck %s --check-prefix=MEMORY
// RUN: hlo-opt %s --compile-to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: rm -rf %t && hlo-opt %s --target=cpu --dump-phases=%t -o /dev/null
// RUN: hlo-opt %t/01_linalg.mlir --compile-from=linalg --compile-to=kernels | FileCheck %s --check-prefix=KERNELS

// STABLEHLO-NOT: call
// STABLEHLO: stablehlo.add
// LINALG-NOT: stablehlo
// LINALG: linalg.generic
// KERNELS: hlo.kernel
// MEMORY-NOT: linalg.generic
// MEMORY: memref
// LLVM: llvm.func
// LLVM-NOT: scf.for
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.add %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
