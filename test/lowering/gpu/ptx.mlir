// RUN: hlo-opt %s --target=gpu --compile-to=ptx | FileCheck %s
// RUN: hlo-opt %s --target=gpu --gpu-arch=sm_90a --compile-to=ptx | FileCheck %s --check-prefix=HOPPER
// RUN: not hlo-opt %s --target=gpu --gpu-arch=sm_75 --compile-to=ptx 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK: .target sm_80
// HOPPER: .target sm_90a
// OLD: hlo-opt: error: GPU architecture 'sm_75': sm_80 or later expected
// CHECK: .visible .entry [[NAME:.*]](
// CHECK: .maxntid 256, 1, 1
// CHECK: ld.global{{.*}}.v4
// CHECK: add{{.*}}.f32
// CHECK: st.global{{.*}}.v4
// CHECK: ret
func.func @main(%x: tensor<5000xf32>, %y: tensor<5000xf32>) -> tensor<5000xf32> {
  %0 = stablehlo.add %x, %y : tensor<5000xf32>
  return %0 : tensor<5000xf32>
}
