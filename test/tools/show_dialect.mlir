// RUN: hlo-opt --show-dialect -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: hlo-opt %t -o /dev/null
// RUN: hlo-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: hlo-opt --help | FileCheck %s --check-prefix=HELP

// CHECK: irdl.dialect @stablehlo
// CHECK: irdl.operation @add
// PASSES: --stablehlo-to-linalg
// HELP: --compile-to
