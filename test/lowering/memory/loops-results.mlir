// RUN: hlo-opt %s --pass-pipeline='builtin.module(schedule-kernels,emit-kernels)' --split-input-file | FileCheck %s

// The second result is the value that the first one was made from: no copy out of the first result once that is there.

// CHECK-LABEL: func.func private @later.code(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>)
// CHECK-NOT: memref.copy %arg1, %arg2
// CHECK: return
func.func private @later(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %v = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> (tensor<4xf32>) {
    %x = tensor.extract %a[%i] : tensor<4xf32>
    %u = tensor.insert %x into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  %w = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %v) -> (tensor<4xf32>) {
    %x = tensor.extract %v[%i] : tensor<4xf32>
    %y = arith.addf %x, %one : f32
    %u = tensor.insert %y into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %w, %v : tensor<4xf32>, tensor<4xf32>
}

// -----

// The first result takes the place of the argument, whose old value is the second one: that is copied before.

// CHECK-LABEL: func.func private @tied.code(%arg0: memref<4xf32>, %arg1: memref<4xf32>)
// CHECK: memref.copy %arg0, %arg1
// CHECK: memref.copy %{{.*}}, %arg0
// CHECK-NEXT: return
func.func private @tied(%a: tensor<4xf32> {hlo.tied = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %v = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> (tensor<4xf32>) {
    %x = tensor.extract %a[%i] : tensor<4xf32>
    %u = tensor.insert %x into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  %w = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> (tensor<4xf32>) {
    %x = tensor.extract %a[%i] : tensor<4xf32>
    %y = arith.addf %x, %one : f32
    %u = tensor.insert %y into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  }
  return %w, %a : tensor<4xf32>, tensor<4xf32>
}
