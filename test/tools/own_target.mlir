// RUN: hlo-run %s --load-pass=%S/inputs/own_target.py --target=subtracting --input 4xf32=5 --input 4xf32=2 | FileCheck %s --check-prefix=OWN
// RUN: hlo-run %s --input 4xf32=5 --input 4xf32=2 | FileCheck %s --check-prefix=CPU
// RUN: hlo-opt %s --load-pass=%S/inputs/own_target.py --target=subtracting --compile-to=stablehlo | FileCheck %s --check-prefix=PHASE
// RUN: not hlo-opt %s --load-pass=%S/inputs/own_target.py --target=subtracting --remarks 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: not hlo-run %s --target=subtracting 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hlo-opt %s --target=subtracting 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hlo-opt %s --target=reference --compile-to=linalg 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not hlo-opt %s --gpu-arch=sm_90a --compile-to=linalg 2>&1 | FileCheck %s --check-prefix=ARCH

// OWN: [3. 3. 3. 3.]
// CPU: [7. 7. 7. 7.]
// PHASE: stablehlo.subtract
// REMARKS: --remarks: target 'subtracting' tells none
// UNKNOWN: --target is one of cpu, gpu, reference (or what --load-pass registers), found 'subtracting'
// NONE: target 'reference' has no phases: it interprets programs as they are read
// ARCH: --gpu-arch does nothing for target 'cpu'
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.add %x, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}
