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

// -----

// Elements that are read only where they are replaced are replaced in place, behind what reads them at other positions.
// CHECK-LABEL: func.func @add_in_place(
// CHECK:           call @[[DIFFERENCE:slice_sub_.*]](%[[X:.+]]) : (tensor<8xf32>) -> tensor<7xf32>
// CHECK:           call @[[ADD:slice_add_insert_.*]](%[[X]], %{{.+}}) : (tensor<8xf32>, tensor<7xf32>) -> tensor<8xf32>
// CHECK:           call @[[NEIGHBOURS:slice_sub_insert_.*]](%{{.+}}) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK:       func.func private @[[DIFFERENCE]](%{{.+}}: tensor<8xf32>)
// CHECK:       func.func private @[[ADD]](%{{.+}}: tensor<8xf32> {hlo.tied = 0 : i64}, %{{.+}}: tensor<7xf32>)
// CHECK:       func.func private @[[NEIGHBOURS]](%{{.+}}: tensor<8xf32>)
func.func @add_in_place(%a: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<7xf32>) {
  %d0 = arith.constant dense<0.0> : tensor<7xf32>
  %0:2 = scf.while (%x = %a, %d = %d0) : (tensor<8xf32>, tensor<7xf32>) -> (tensor<8xf32>, tensor<7xf32>) {
    %q = tensor.extract %p[] : tensor<i1>
    scf.condition(%q) %x, %d : tensor<8xf32>, tensor<7xf32>
  } do {
  ^bb0(%x: tensor<8xf32>, %d: tensor<7xf32>):
    %e = tensor.empty() : tensor<7xf32>
    %left = tensor.extract_slice %x[0] [7] [1] : tensor<8xf32> to tensor<7xf32>
    %right = tensor.extract_slice %x[1] [7] [1] : tensor<8xf32> to tensor<7xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
        ins(%right, %left : tensor<7xf32>, tensor<7xf32>) outs(%e : tensor<7xf32>) {
    ^bb0(%r: f32, %l: f32, %o: f32):
      %s = arith.subf %r, %l : f32
      linalg.yield %s : f32
    } -> tensor<7xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
        ins(%left, %next : tensor<7xf32>, tensor<7xf32>) outs(%e : tensor<7xf32>) {
    ^bb0(%l: f32, %n: f32, %o: f32):
      %s = arith.addf %l, %n : f32
      linalg.yield %s : f32
    } -> tensor<7xf32>
    %y = tensor.insert_slice %sum into %x[0] [7] [1] : tensor<7xf32> into tensor<8xf32>
    %before = tensor.extract_slice %y[0] [6] [1] : tensor<8xf32> to tensor<6xf32>
    %behind = tensor.extract_slice %y[2] [6] [1] : tensor<8xf32> to tensor<6xf32>
    %f = tensor.empty() : tensor<6xf32>
    %between = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]}
        ins(%behind, %before : tensor<6xf32>, tensor<6xf32>) outs(%f : tensor<6xf32>) {
    ^bb0(%r: f32, %l: f32, %o: f32):
      %s = arith.subf %r, %l : f32
      linalg.yield %s : f32
    } -> tensor<6xf32>
    %z = tensor.insert_slice %between into %y[1] [6] [1] : tensor<6xf32> into tensor<8xf32>
    scf.yield %z, %next : tensor<8xf32>, tensor<7xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<7xf32>
}
