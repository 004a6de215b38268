// Lines are sorted in vectors along them where the processor compresses vectors.
// RUN: hlo-opt %s --stablehlo-to-linalg=target=avx512 | FileCheck %s
// RUN: hlo-opt %s --stablehlo-to-linalg=target=avx2 | FileCheck %s --check-prefix=OTHER
// RUN: hlo-opt %s --stablehlo-to-linalg=target=aarch64 | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @main
// CHECK: call @sort_0({{.*}}) : (tensor<5000xi32>) -> tensor<5000xi32>
// CHECK: func.func private @sort_0(%{{.*}}: tensor<5000xi32> {hlo.tied = 0 : i64}) -> tensor<5000xi32>
// CHECK: arith.minui {{.*}} : vector<16xi32>
// CHECK: x86vector.avx512.mask.compress {{.*}} : vector<16xi32>
// OTHER-LABEL: func.func @main
// OTHER-NOT: vector
func.func @main(%a: tensor<5000xi32>) -> tensor<5000xi32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<5000xi32>) -> tensor<5000xi32>
  return %0 : tensor<5000xi32>
}
