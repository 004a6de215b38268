// RUN: hlo-opt %s --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=NAMES
// RUN: hlo-opt %s --mlir-print-debuginfo --mlir-pretty-debuginfo | FileCheck %s --check-prefix=PRETTY
// RUN: hlo-opt %s --mlir-timing --mlir-timing-display=list --cse --eliminate-dead-code --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: hlo-opt %s --mlir-timing --cse --eliminate-dead-code --cse -o /dev/null 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: hlo-opt %s --mlir-timing --mlir-output-format=json --cse -o /dev/null 2> %t.json
// RUN: python -c 'import json, sys; print([row["name"] for row in json.load(open(sys.argv[1]))])' %t.json | FileCheck %s --check-prefix=JSON
// RUN: hlo-opt %s --mlir-pass-statistics --mlir-pass-statistics-display=list --eliminate-dead-code --cse --eliminate-dead-code -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// RUN: hlo-opt %s --split-input-file --output-split-marker="// next" | FileCheck %s --check-prefix=MARKER
// RUN: hlo-opt %s --load-pass=%S/inputs/refuse_all.py --refuse-all --verify-diagnostics=only-expected --split-input-file -o /dev/null
// RUN: not hlo-opt %s --load-pass=%S/inputs/refuse_all.py --refuse-all --verify-diagnostics --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNEXPECTED

// NAMES: @main(%input: tensor<4xf32>
// NAMES: %weights = stablehlo.add %input, %input
// PRETTY: stablehlo.add %arg0, %arg0 : tensor<4xf32> "weights"
// PRETTY: return {{.*}} : tensor<4xf32> {{.*}}displays.mlir:[[@LINE+18]]:3
// LIST-COUNT-1: cse
// LIST-NOT: cse
// TREE-COUNT-2: cse
// JSON: ['cse', 'total']
// COUNTS-NOT: ops before
// COUNTS: cse {{.*}} 0
// COUNTS-NEXT: eliminate-dead-code {{.*}} -1
// MARKER: @main
// MARKER: {{^}}// next
// MARKER: @second
// UNEXPECTED: unexpected error: no module is good enough
func.func @main(%x: tensor<4xf32> loc("input")) -> tensor<4xf32> {
  %d = stablehlo.multiply %x, %x : tensor<4xf32>
  %y = stablehlo.add %x, %x : tensor<4xf32> loc("weights")



  return %y : tensor<4xf32>
}
// -----
func.func private @second()
