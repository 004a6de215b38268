// RUN: hlo-opt %s --form-kernels --split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>

// An elementwise chain is one kernel, in place if the caller likes; its constant is inside.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    %[[R:.*]] = call @add_exp_0(%arg0, %arg1)
// CHECK-NEXT:    return %[[R]]
// CHECK:       func.func private @add_exp_0(
// CHECK-SAME:    %arg0: tensor<8xf32> {hlo.may_alias = array<i64: 0>}, %arg1: tensor<8xf32> {hlo.may_alias = array<i64: 0>})
// CHECK-SAME:    attributes {hlo.kernel = "region"}
func.func @chain(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Equal kernels are one function.
// CHECK-LABEL: func.func @twice(
// CHECK:         call @mul_0(%arg0)
// CHECK:         call @mul_0(%arg1)
// CHECK-NOT:   @mul_1
func.func @twice(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A computed offset moves into the kernel, which takes it as a tensor of rank 0.
// CHECK-LABEL: func.func @slice(
// CHECK-NEXT:    call @slice_0(%arg0, %arg1) : (tensor<8xf32>, tensor<i64>) -> tensor<3xf32>
// CHECK-NEXT:    return
// CHECK:       func.func private @slice_0(
// CHECK:         tensor.extract %arg1[]
// CHECK:         arith.index_cast
// CHECK:         tensor.extract_slice
func.func @slice(%a: tensor<8xf32>, %at: tensor<i64>) -> tensor<3xf32> {
  %i = tensor.extract %at[] : tensor<i64>
  %n = arith.index_cast %i : i64 to index
  %0 = tensor.extract_slice %a[%n] [3] [1] : tensor<8xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// An argument of the program is not written: the kernel makes its result from it and the update.
// CHECK-LABEL: func.func @update(
// CHECK-NEXT:    call @insert_0(%arg1, %arg0)
// CHECK:       func.func private @insert_0(%arg0: tensor<4xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32>
func.func @update(%a: tensor<8xf32>, %u: tensor<4xf32>) -> tensor<8xf32> {
  %0 = tensor.insert_slice %u into %a[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What a loop carries is updated in place.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.while
// CHECK:           call @[[LESS:.*]](%{{.*}}) : (tensor<i32>) -> tensor<i1>
// CHECK-NEXT:      tensor.extract
// CHECK-NEXT:      scf.condition
// CHECK:           call @insert_0(
// CHECK:       func.func private @insert_0(
// CHECK-SAME:    tensor<8xf32> {hlo.tied = 0 : i64}
func.func @loop(%a: tensor<8xf32>, %u: tensor<1xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %0:2 = scf.while (%i = %n, %x = %a) : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<i1>
    %p = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%i : tensor<i32>) outs(%e : tensor<i1>) {
    ^bb0(%v: i32, %o: i1):
      %c = arith.constant 8 : i32
      %l = arith.cmpi slt, %v, %c : i32
      linalg.yield %l : i1
    } -> tensor<i1>
    %q = tensor.extract %p[] : tensor<i1>
    scf.condition(%q) %i, %x : tensor<i32>, tensor<8xf32>
  } do {
  ^bb0(%i: tensor<i32>, %x: tensor<8xf32>):
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%v: i32, %o: i32):
      %c = arith.constant 1 : i32
      %s = arith.addi %v, %c : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    %at = tensor.extract %i[] : tensor<i32>
    %k = arith.index_cast %at : i32 to index
    %y = tensor.insert_slice %u into %x[%k] [1] [1] : tensor<1xf32> into tensor<8xf32>
    scf.yield %next, %y : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
