// RUN: hlo-opt %s --emit-kernels='target=avx512' --canonicalize | FileCheck %s

// A loop along the last dimension of what it reads and writes runs in vectors, left-over turns as lanes of one more.

// CHECK-LABEL: func.func private @add_rows.code
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           scf.for %[[C:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK:             %[[X:.*]] = vector.load %arg0[%[[ROW]], %[[C]]] : memref<9x40xf32>, vector<16xf32>
// CHECK:             arith.addf {{.*}} : vector<16xf32>
// CHECK:             vector.store
// CHECK:           vector.maskedload %arg0[%[[ROW]], %c32{{.*}}]
// CHECK:           vector.maskedstore
func.func private @add_rows(%x: tensor<9x40xf32> {hlo.tied = 0 : i64}, %y: tensor<40xf32>) -> tensor<9x40xf32> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> tensor<9x40xf32> {
    %t = scf.for %j = %c0 to %c40 step %c1 iter_args(%u = %s) -> tensor<9x40xf32> {
      %a = tensor.extract %u[%i, %j] : tensor<9x40xf32>
      %b = tensor.extract %y[%j] : tensor<40xf32>
      %c = arith.addf %a, %b : f32
      %v = tensor.insert %c into %u[%i, %j] : tensor<9x40xf32>
      scf.yield %v : tensor<9x40xf32>
    }
    scf.yield %t : tensor<9x40xf32>
  }
  return %r : tensor<9x40xf32>
}

// Each turn reads what the one before wrote: no vectors.

// CHECK-LABEL: func.func private @running.code
// CHECK-NOT:     vector
// CHECK:         return
func.func private @running(%x: tensor<40xf32> {hlo.tied = 0 : i64}) -> tensor<40xf32> attributes {hlo.kernel = "loops"} {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %r = scf.for %i = %c1 to %c40 step %c1 iter_args(%s = %x) -> tensor<40xf32> {
    %before = arith.subi %i, %c1 : index
    %a = tensor.extract %s[%before] : tensor<40xf32>
    %b = tensor.extract %s[%i] : tensor<40xf32>
    %c = arith.addf %a, %b : f32
    %v = tensor.insert %c into %s[%i] : tensor<40xf32>
    scf.yield %v : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}
