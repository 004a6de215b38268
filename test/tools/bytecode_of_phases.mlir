// The bytecode of every phase is read again as the same text.
// RUN: hlo-opt %s --compile-to=linalg -o %t.mlir && hlo-opt %s --compile-to=linalg --emit-bytecode -o %t.bc && hlo-opt %t.bc | diff %t.mlir -
// RUN: hlo-opt %s --compile-to=kernels -o %t.mlir && hlo-opt %s --compile-to=kernels --emit-bytecode -o %t.bc && hlo-opt %t.bc | diff %t.mlir -
// RUN: hlo-opt %s --compile-to=memory -o %t.mlir && hlo-opt %s --compile-to=memory --emit-bytecode -o %t.bc && hlo-opt %t.bc | diff %t.mlir -
// RUN: hlo-opt %s --compile-to=llvm -o %t.mlir && hlo-opt %s --compile-to=llvm --emit-bytecode -o %t.bc && hlo-opt %t.bc | diff %t.mlir -
// RUN: head -c 200 %t.bc > %t.cut && not hlo-opt %t.cut 2>&1 | FileCheck %s
// CHECK: is MLIR bytecode that {{(jaxlib )?}}cannot
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.tanh %x : tensor<4x8xf32>
  %1 = stablehlo.dot %0, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
