// RUN: hlo-opt %s | FileCheck %s
// RUN: hlo-opt %s | hlo-opt | FileCheck %s
// What a short form cannot say is printed in generic form, and what is printed can be read again.

#d = {a = 1 : i32,
      b = 2 : i64}
!t = tensor<
  2xf32
>

// CHECK: module attributes {a.b = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, a.c = [#stablehlo<precision HIGH>]} {
module attributes {a.b = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, a.c = [#stablehlo<precision HIGH>]} {
  // CHECK: func.func @while(%[[A:.*]]: tensor<3xf32> {x.y = #stablehlo<comparison_direction LT>}, %{{.*}}: tensor<i1>) -> tensor<?xf32> attributes {x.z = {a = 1 : i32, b = 2 : i64}} {
  func.func @while(%a: tensor<3xf32> {x.y = #stablehlo<comparison_direction LT>}, %p: tensor<i1>) -> tensor<?xf32> attributes {x.z = #d} {
    // CHECK: "stablehlo.while"(%[[A]]) ({
    // CHECK: : (tensor<3xf32>) -> tensor<?xf32>
    %0 = "stablehlo.while"(%a) ({
    ^bb0(%x: tensor<?xf32>):
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%x: tensor<?xf32>):
      stablehlo.return %x : tensor<?xf32>
    }) : (tensor<3xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }

  // CHECK: func.func @refined
  func.func @refined(%a: tensor<?xf32>, %b: tensor<3xf32>) {
    // CHECK: "stablehlo.optimization_barrier"(%{{.*}}) : (tensor<?xf32>) -> tensor<3xf32>
    %0 = "stablehlo.optimization_barrier"(%a) : (tensor<?xf32>) -> tensor<3xf32>
    // CHECK: "stablehlo.tuple"(%{{.*}}) : (tensor<?xf32>) -> tuple<tensor<3xf32>>
    %1 = "stablehlo.tuple"(%a) : (tensor<?xf32>) -> tuple<tensor<3xf32>>
    // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
    %2 = "stablehlo.complex"(%a, %b) : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
    // CHECK: "chlo.constant_like"(%{{.*}}) {value = 1.000000e+00 : f32} : (tensor<?xf32>) -> tensor<?xf32>
    %3 = "chlo.constant_like"(%a) {value = 1.0 : f32} : (tensor<?xf32>) -> tensor<?xf32>
    return
  }

  // CHECK: func.func @printed(%[[X:.*]]: tensor<2xf32>) -> tensor<2xf32> {
  func.func @printed(%x: !t) -> !t {
    // CHECK-NEXT: {{^ +}}interpreter.print %[[X]] : tensor<2xf32>
    interpreter.print %x : !t
    // CHECK-NEXT: %[[Y:.*]] = interpreter.print %[[X]] : tensor<2xf32>
    // CHECK-NEXT: return %[[Y]]
    %0 = interpreter.print %x : !t
    return %0 : !t
  }
}
