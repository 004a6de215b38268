// RUN: hlo-opt %s --read-transposed='target=avx512' --split-input-file | FileCheck %s

#read = affine_map<(i, j) -> (j, i)>
#write = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @transposed
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 :
func.func @transposed(%x: tensor<64x40xf32>, %y: tensor<80x40xf32>) -> tensor<64x80xf32> {
  %e = tensor.empty() : tensor<40x80xf32>
  %t = linalg.generic {indexing_maps = [#read, #write], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<80x40xf32>) outs(%e : tensor<40x80xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<40x80xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x80xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x80xf32>) -> tensor<64x80xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<64x40xf32>, tensor<40x80xf32>) outs(%fill : tensor<64x80xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}

// -----

#read = affine_map<(i, j) -> (j, i)>
#write = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// What computes something stays.
// CHECK-LABEL: func.func @negated
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{[0-9]+}} :
func.func @negated(%x: tensor<64x40xf32>, %y: tensor<80x40xf32>) -> tensor<64x80xf32> {
  %e = tensor.empty() : tensor<40x80xf32>
  %t = linalg.generic {indexing_maps = [#read, #write], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<80x40xf32>) outs(%e : tensor<40x80xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<40x80xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x80xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x80xf32>) -> tensor<64x80xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<64x40xf32>, tensor<40x80xf32>) outs(%fill : tensor<64x80xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}

// -----

#read = affine_map<(i, j) -> (-i + 39, j)>
#write = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// What is contracted can be gone through backwards: the other operand is.
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1, d2) -> (d0, -d2 + 39)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @reversed
// CHECK: linalg.generic {indexing_maps = [#[[BACK]], #[[B]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 :
func.func @reversed(%x: tensor<64x40xf32>, %y: tensor<40x80xf32>) -> tensor<64x80xf32> {
  %e = tensor.empty() : tensor<40x80xf32>
  %t = linalg.generic {indexing_maps = [#read, #write], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<40x80xf32>) outs(%e : tensor<40x80xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<40x80xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x80xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x80xf32>) -> tensor<64x80xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<64x40xf32>, tensor<40x80xf32>) outs(%fill : tensor<64x80xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}

// -----

#read = affine_map<(i, j) -> (i, -j + 79)>
#write = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The result is not: vectors run along it.
// CHECK-LABEL: func.func @reversed_result
// CHECK: linalg.generic {{.*}} ins(%arg0, %{{[0-9]+}} :
func.func @reversed_result(%x: tensor<64x40xf32>, %y: tensor<40x80xf32>) -> tensor<64x80xf32> {
  %e = tensor.empty() : tensor<40x80xf32>
  %t = linalg.generic {indexing_maps = [#read, #write], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<40x80xf32>) outs(%e : tensor<40x80xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<40x80xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x80xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x80xf32>) -> tensor<64x80xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<64x40xf32>, tensor<40x80xf32>) outs(%fill : tensor<64x80xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x80xf32>
  return %r : tensor<64x80xf32>
}

// -----

#read = affine_map<(i, j) -> (j, i)>
#write = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A copy that is made once and read in each iteration of a loop stays: reading its source is slower.
// CHECK-LABEL: func.func @before_a_loop
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%arg1 :
// CHECK: scf.while
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[COPY]] :
func.func @before_a_loop(%x: tensor<8x64xf32>, %y: tensor<64x64xf32>, %more: tensor<i1>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %t = linalg.generic {indexing_maps = [#read, #write], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %w = scf.while (%s = %x) : (tensor<8x64xf32>) -> tensor<8x64xf32> {
    %go = tensor.extract %more[] : tensor<i1>
    scf.condition(%go) %s : tensor<8x64xf32>
  } do {
  ^bb0(%s: tensor<8x64xf32>):
    %empty = tensor.empty() : tensor<8x64xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
    %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s, %t : tensor<8x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<8x64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %m = arith.mulf %p, %q : f32
      %a = arith.addf %o, %m : f32
      linalg.yield %a : f32
    } -> tensor<8x64xf32>
    scf.yield %r : tensor<8x64xf32>
  }
  return %w : tensor<8x64xf32>
}
