// RUN: env HLO_CPU=avx2 hlo-run %s --asm | FileCheck %s
// RUN: env HLO_CPU=avx2 hlo-run %s --asm --kernel=add_sqrt_0 --output %t.s
// RUN: FileCheck %s --check-prefix=ONE < %t.s
// RUN: not hlo-run %s --asm --kernel=cosine 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not hlo-run %s --kernel=add 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not hlo-run %s --asm --target=gpu 2>&1 | FileCheck %s --check-prefix=GPU

// Eight numbers at a time: registers of 256 bits.

// CHECK-DAG: add_sqrt_0.code:
// CHECK-DAG: vsqrtps {{.*}}%ymm
// CHECK-DAG: hlo_entry:

// ONE-NOT: hlo_entry:
// ONE: add_sqrt_0.code:
// ONE: vaddps {{.*}}%ymm
// ONE: vsqrtps {{.*}}%ymm
// ONE: ret
// ONE-NOT: hlo_entry:

// NONE: error: no function has 'cosine' in its name; functions: {{.*}}add_sqrt_0.code
// ALONE: --kernel needs --asm
// GPU: --asm is for --target=cpu

func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.add %x, %y : tensor<64x64xf32>
  %1 = stablehlo.sqrt %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
