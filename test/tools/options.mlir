// RUN: hlo-opt %s --mlir-elide-elementsattrs-if-larger=2 | FileCheck %s --check-prefix=ELIDED
// RUN: hlo-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// RUN: hlo-opt %s --verify-roundtrip --mlir-print-ir-after-change --cse --eliminate-dead-code --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: hlo-opt %s --mlir-pass-statistics --eliminate-dead-code -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: hlo-opt %s --dump-pass-pipeline --mlir-disable-threading --fold-constants=limit=5 --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: hlo-opt %s --compile-to=linalg --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PHASES
// RUN: hlo-opt %s --emit-bytecode --cse | hlo-opt - | FileCheck %s --check-prefix=BYTECODE
// RUN: hlo-opt %s --emit-bytecode --compile-to=linalg | od -c -N 4 | FileCheck %s --check-prefix=MAGIC
// RUN: not hlo-opt %s --mlir-print-ir-tree-dir=%t.no --cse 2>&1 | FileCheck %s --check-prefix=WHEN
// RUN: hlo-opt %s --split-input-file=//HERE | FileCheck %s --check-prefix=PARTS
// RUN: rm -rf %t.dir && hlo-opt %s --mlir-print-ir-tree-dir=%t.dir --mlir-print-ir-after-all --mlir-print-ir-module-scope --cse --canonicalize -o /dev/null
// RUN: FileCheck %s --check-prefix=TREE < %t.dir/builtin_module_no-symbol-name/1_canonicalize.mlir
// RUN: hlo-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: hlo-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS

// WHEN: error: --mlir-print-ir-tree-dir says where IR is printed: say when
// ELIDED: dense_resource<__elided__> : tensor<4xf32>
// LOCAL: stablehlo.add {{.*}} loc("{{.*}}options.mlir":[[@LINE+22]]:8)
// LOCAL-NOT: #loc
// CHANGED-NOT: IR Dump After cse
// CHANGED: IR Dump After eliminate-dead-code
// CHANGED-NOT: IR Dump After cse
// STATISTICS: Pass statistics
// STATISTICS: eliminate-dead-code{{.*}}6{{.*}}5{{.*}}-1
// PIPELINE: builtin.module(fold-constants{limit=5},cse)
// PHASES: stablehlo: builtin.module({{.*}}inline-calls,{{.*}})
// PHASES: linalg: builtin.module(stablehlo-to-linalg{target=host},
// PHASES-NOT: kernels:
// BYTECODE: stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// MAGIC: M L 357 R
// PARTS: @main
// PARTS: {{^}}//HERE
// PARTS: @second
// TREE: // -----// IR Dump After canonicalize
// VERSION: hlo {{[0-9.]+}}
// DIALECTS: Available Dialects: {{.*}}arith,{{.*}}stablehlo
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %d = stablehlo.multiply %x, %x : tensor<4xf32>
  %y = stablehlo.add %x, %c : tensor<4xf32>
  return %y : tensor<4xf32>
}
//HERE
func.func private @second()
