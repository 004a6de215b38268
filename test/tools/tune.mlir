// RUN: env HLO_CACHE_DIR= hlo-opt %s --tune=0.3 --remarks 2>&1 | FileCheck %s
// RUN: not hlo-opt %s --tune=soon 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not hlo-opt %s --tune=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not hlo-opt %s --tune=1 --target=gpu 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: hlo-opt %s --tune=0 --compile-to=tune --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE

// The kernels are printed with their schedules; remarks say what was searched for, at the place of the kernel.

// CHECK: tune.mlir:[[@LINE+13]]:{{[0-9]+}}: remark: @[[K:[a-z_0-9]+]]: {{.*}} schedules tried
// CHECK: func.func private @[[K]]
// CHECK-SAME: hlo.schedule
// WORD: hlo-opt: error: tune takes a number of seconds from 0, found 'soon'
// NEGATIVE: hlo-opt: error: tune takes a number of seconds from 0, found -1.0
// GPU: hlo-opt: error: --tune: schedules of target 'cpu' are searched for, not of 'gpu'
// PIPELINE: kernels: builtin.module(
// PIPELINE-NEXT: tune: builtin.module(tune{seconds=0.0 processor=host threads=
// PIPELINE-NOT: memory: builtin



func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %r = stablehlo.tanh %x : tensor<64x256xf32>
  return %r : tensor<64x256xf32>
}
