// RUN: hlo-opt %s --schedule-kernels='target=avx2/2' --emit-kernels='target=avx2/2' --canonicalize | FileCheck %s

// Masked stores are slow: where a lane takes a branch, whole vectors are stored, with the old elements of the lanes that do not; 36 columns are four vectors of 8
// and one of 4.

// CHECK-LABEL: func.func private @swap_rows.code
// CHECK:         scf.for
// CHECK:           %[[TAKEN:.*]] = arith.cmpi eq, {{.*}} : vector<8xi32>
// CHECK:           %[[ANY:.*]] = vector.reduction <or>, %[[TAKEN]] : vector<8xi1> into i1
// CHECK:           scf.if %[[ANY]] {
// CHECK:             vector.load %arg0
// CHECK:             arith.select %[[TAKEN]], {{.*}} : vector<8xi1>, vector<8xf32>
// CHECK:             vector.store
// CHECK:         vector.reduction <or>, {{.*}} : vector<4xi1> into i1
// CHECK-NOT:     vector.masked
// CHECK:         return
func.func private @swap_rows(%x: tensor<9x36xf32> {hlo.tied = 0 : i64}, %y: tensor<36xi32>) -> tensor<9x36xf32> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c36 = arith.constant 36 : index
  %three = arith.constant 3 : i32
  %t = scf.for %j = %c0 to %c36 step %c1 iter_args(%u = %x) -> tensor<9x36xf32> {
    %row = tensor.extract %y[%j] : tensor<36xi32>
    %is = arith.cmpi eq, %row, %three : i32
    %v = scf.if %is -> tensor<9x36xf32> {
      %a = tensor.extract %u[%c0, %j] : tensor<9x36xf32>
      %b = tensor.extract %u[%c3, %j] : tensor<9x36xf32>
      %w = tensor.insert %b into %u[%c0, %j] : tensor<9x36xf32>
      %z = tensor.insert %a into %w[%c3, %j] : tensor<9x36xf32>
      scf.yield %z : tensor<9x36xf32>
    } else {
      scf.yield %u : tensor<9x36xf32>
    }
    scf.yield %v : tensor<9x36xf32>
  }
  return %t : tensor<9x36xf32>
}

// There are no masks of 16-bit lanes: sums of 70 columns, whose last vector is not full, stay scalars. (Two vectors of f32 at once: 16 registers.)

// CHECK-LABEL: func.func private @short_sums.code
// CHECK-NOT:     vector
// CHECK:         return
func.func private @short_sums(%x: tensor<9x70xi16>, %r: tensor<70xi16> {hlo.tied = 0 : i64}) -> tensor<70xi16> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c70 = arith.constant 70 : index
  %zero = arith.constant 0 : i16
  %s = scf.for %j = %c0 to %c70 step %c1 iter_args(%t = %r) -> tensor<70xi16> {
    %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%u = %zero) -> i16 {
      %a = tensor.extract %x[%i, %j] : tensor<9x70xi16>
      %b = arith.addi %u, %a : i16
      scf.yield %b : i16
    }
    %v = tensor.insert %sum into %t[%j] : tensor<70xi16>
    scf.yield %v : tensor<70xi16>
  }
  return %s : tensor<70xi16>
}

// CHECK-LABEL: func.func private @sums.code
// CHECK:           vector.load {{.*}} : memref<9x70xf32>, vector<16xf32>
// CHECK:         vector.constant_mask [6] : vector<16xi1>
// CHECK:         vector.maskedstore
func.func private @sums(%x: tensor<9x70xf32>, %r: tensor<70xf32> {hlo.tied = 0 : i64}) -> tensor<70xf32> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c70 = arith.constant 70 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %j = %c0 to %c70 step %c1 iter_args(%t = %r) -> tensor<70xf32> {
    %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%u = %zero) -> f32 {
      %a = tensor.extract %x[%i, %j] : tensor<9x70xf32>
      %b = arith.addf %u, %a : f32
      scf.yield %b : f32
    }
    %v = tensor.insert %sum into %t[%j] : tensor<70xf32>
    scf.yield %v : tensor<70xf32>
  }
  return %s : tensor<70xf32>
}
