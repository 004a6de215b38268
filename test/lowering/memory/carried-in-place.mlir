// RUN: hlo-opt %s --schedule-kernels --emit-kernels --bufferize-host --canonicalize | FileCheck %s

// Each result may be made in either argument: it is made where the next step reads it from, whatever the arguments' order, so
// that steps neither copy nor exchange buffers.

func.func private @less(%i: tensor<i32>) -> tensor<i1> attributes {hlo.kernel = "loops"} {
  %c3 = arith.constant 3 : i32
  %x = tensor.extract %i[] : tensor<i32>
  %y = arith.cmpi slt, %x, %c3 : i32
  %e = tensor.empty() : tensor<i1>
  %r = tensor.insert %y into %e[] : tensor<i1>
  return %r : tensor<i1>
}
func.func private @next(%i: tensor<i32>) -> tensor<i32> attributes {hlo.kernel = "loops"} {
  %c1 = arith.constant 1 : i32
  %x = tensor.extract %i[] : tensor<i32>
  %y = arith.addi %x, %c1 : i32
  %e = tensor.empty() : tensor<i32>
  %r = tensor.insert %y into %e[] : tensor<i32>
  return %r : tensor<i32>
}
func.func private @step(%x: tensor<2048xf32> {hlo.may_alias = array<i64: 0, 1>}, %y: tensor<2048xf32> {hlo.may_alias = array<i64: 0, 1>}) -> (tensor<2048xf32>, tensor<2048xf32>) attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2048 : index
  %e = tensor.empty() : tensor<2048xf32>
  %f = tensor.empty() : tensor<2048xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %e, %t = %f) -> (tensor<2048xf32>, tensor<2048xf32>) {
    %a = tensor.extract %x[%i] : tensor<2048xf32>
    %b = tensor.extract %y[%i] : tensor<2048xf32>
    %sum = arith.addf %a, %b : f32
    %difference = arith.subf %a, %b : f32
    %u = tensor.insert %sum into %s[%i] : tensor<2048xf32>
    %v = tensor.insert %difference into %t[%i] : tensor<2048xf32>
    scf.yield %u, %v : tensor<2048xf32>, tensor<2048xf32>
  }
  return %r#0, %r#1 : tensor<2048xf32>, tensor<2048xf32>
}

// CHECK: func.func public @main(
// CHECK: scf.while
// CHECK: } do {
// CHECK-NOT: memref.copy {{.*}}memref<2048xf32> to
// CHECK: call @step.code(%[[Y:[a-z0-9_]+]], %[[X:[a-z0-9_]+]], %[[X]], %[[Y]])
// CHECK-NOT: memref.copy {{.*}}memref<2048xf32> to
// CHECK: scf.yield
// CHECK: return
func.func public @main(%i: tensor<i32>, %x: tensor<2048xf32>, %y: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>) {
  %r:3 = scf.while (%n = %i, %a = %x, %b = %y) : (tensor<i32>, tensor<2048xf32>, tensor<2048xf32>) -> (tensor<i32>, tensor<2048xf32>, tensor<2048xf32>) {
    %c = func.call @less(%n) : (tensor<i32>) -> tensor<i1>
    %p = tensor.extract %c[] : tensor<i1>
    scf.condition(%p) %n, %a, %b : tensor<i32>, tensor<2048xf32>, tensor<2048xf32>
  } do {
  ^bb0(%n: tensor<i32>, %a: tensor<2048xf32>, %b: tensor<2048xf32>):
    %m = func.call @next(%n) : (tensor<i32>) -> tensor<i32>
    %s:2 = func.call @step(%b, %a) : (tensor<2048xf32>, tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>)
    scf.yield %m, %s#0, %s#1 : tensor<i32>, tensor<2048xf32>, tensor<2048xf32>
  }
  return %r#1, %r#2 : tensor<2048xf32>, tensor<2048xf32>
}
