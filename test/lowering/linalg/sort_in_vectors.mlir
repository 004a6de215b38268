// Lines are sorted in vectors along them where the processor compresses vectors.
// RUN: hlo-opt %s --stablehlo-to-linalg=target=avx512 | FileCheck %s
// RUN: hlo-opt %s --stablehlo-to-linalg=target=avx2 | FileCheck %s --check-prefix=OTHER
// RUN: hlo-opt %s --stablehlo-to-linalg=target=aarch64 | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @main
// CHECK: call @sort_0({{.*}}, %arg0) : (tensor<5000xi32>, tensor<5000xi32>) -> tensor<5000xi32>
// CHECK: func.func private @sort_0(%{{.*}}: tensor<5000xi32> {hlo.tied = 0 : i64}, %{{.*}}: tensor<5000xi32>) -> tensor<5000xi32>
// CHECK: linalg.generic {{.*}} iterator_types = [], library_call = "hlo_routine_row_i32sa_i32"
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

// The first few of a row are what one walk keeps; elements and indices are made of the words.
// CHECK-LABEL: func.func @first
// CHECK: call @top_k_0({{.*}}, %arg0) : (tensor<10xf32>, tensor<10xi32>, tensor<5000xf32>) -> (tensor<10xf32>, tensor<10xi32>)
// CHECK: return
// CHECK: func.func private @top_k_0
// CHECK: library_call = "hlo_routine_top32_f32td_i64_e_p32"
// OTHER-LABEL: func.func @first
// OTHER-NOT: vector
func.func @first(%a: tensor<5000xf32>) -> (tensor<10xf32>, tensor<10xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<5000xi32>
  %0:2 = "stablehlo.sort"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %v: tensor<i32>, %w: tensor<i32>):
    %1 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<5000xf32>, tensor<5000xi32>) -> (tensor<5000xf32>, tensor<5000xi32>)
  %2 = stablehlo.slice %0#0 [0:10] : (tensor<5000xf32>) -> tensor<10xf32>
  %3 = stablehlo.slice %0#1 [0:10] : (tensor<5000xi32>) -> tensor<10xi32>
  return %2, %3 : tensor<10xf32>, tensor<10xi32>
}

// Keys that have no name are computed first, as unsigned numbers.
// CHECK-LABEL: func.func @by_difference
// CHECK: linalg.generic {{.*}} ins(%arg0, {{.*}}) outs(%{{.*}} : tensor<5000xi32>)
// CHECK: math.absf
// CHECK: call @top_k_1({{.*}}) : (tensor<10xi32>, tensor<5000xi32>) -> tensor<10xi32>
// CHECK: func.func private @top_k_1
// CHECK: library_call = "hlo_routine_top32_i32ua_i64_p32"
func.func @by_difference(%a: tensor<5000xf32>) -> tensor<10xi32> {
  %i = stablehlo.iota dim = 0 : tensor<5000xi32>
  %0:2 = "stablehlo.sort"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %v: tensor<i32>, %w: tensor<i32>):
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %p = stablehlo.subtract %x, %one : tensor<f32>
    %q = stablehlo.subtract %y, %one : tensor<f32>
    %r = stablehlo.abs %p : tensor<f32>
    %s = stablehlo.abs %q : tensor<f32>
    %1 = stablehlo.compare LT, %r, %s, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<5000xf32>, tensor<5000xi32>) -> (tensor<5000xf32>, tensor<5000xi32>)
  %3 = stablehlo.slice %0#1 [0:10] : (tensor<5000xi32>) -> tensor<10xi32>
  return %3 : tensor<10xi32>
}
