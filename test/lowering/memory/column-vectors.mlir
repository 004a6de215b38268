// RUN: hlo-opt %s --schedule-kernels='target=avx512/2' --emit-kernels='target=avx512/2' --canonicalize | FileCheck %s

// A loop along the last dimension of what it reads and writes runs in vectors, left-over turns in shorter ones.

// CHECK-LABEL: func.func private @add_rows.code
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           scf.for %[[C:.*]] = %c0{{.*}} to %c32{{.*}} step %c16
// CHECK:             %[[X:.*]] = vector.load %arg0[%[[ROW]], %[[C]]] : memref<9x40xf32>, vector<16xf32>
// CHECK:             arith.addf {{.*}} : vector<16xf32>
// CHECK:             vector.store
// CHECK:           vector.load %arg0[%[[ROW]], %c32{{.*}}] : memref<9x40xf32>, vector<8xf32>
// CHECK:           vector.store {{.*}} : memref<9x40xf32>, vector<8xf32>
// CHECK-NOT:       vector.masked
// CHECK:         return
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

// A row of 11 columns at a place read from memory: vectors of 8, 2 and 1, no loop around them.

// CHECK-LABEL: func.func private @scatter_narrow.code
// CHECK:         scf.for %[[UPDATE:[^ ]+]] =
// CHECK-NOT:       scf.for
// CHECK:           vector.store {{.*}}, %c0{{.*}}] : memref<900x11xf32>, vector<8xf32>
// CHECK:           vector.store {{.*}}, %c8{{.*}}] : memref<900x11xf32>, vector<2xf32>
// CHECK:           vector.store {{.*}}, %c10{{.*}}] : memref<900x11xf32>, vector<1xf32>
// CHECK-NOT:     vector.masked
// CHECK:         return
func.func private @scatter_narrow(%x: tensor<900x11xf32> {hlo.tied = 0 : i64}, %where: tensor<9000xi32>, %y: tensor<9000x11xf32>) -> tensor<900x11xf32> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c9000 = arith.constant 9000 : index
  %r = scf.for %i = %c0 to %c9000 step %c1 iter_args(%s = %x) -> tensor<900x11xf32> {
    %n = tensor.extract %where[%i] : tensor<9000xi32>
    %row = arith.index_cast %n : i32 to index
    %t = scf.for %j = %c0 to %c11 step %c1 iter_args(%u = %s) -> tensor<900x11xf32> {
      %a = tensor.extract %u[%row, %j] : tensor<900x11xf32>
      %b = tensor.extract %y[%i, %j] : tensor<9000x11xf32>
      %c = arith.addf %a, %b : f32
      %v = tensor.insert %c into %u[%row, %j] : tensor<900x11xf32>
      scf.yield %v : tensor<900x11xf32>
    }
    scf.yield %t : tensor<900x11xf32>
  }
  return %r : tensor<900x11xf32>
}

// The same with 512 columns stays with one thread: rows at random would be in the caches of both.

// CHECK-LABEL: func.func private @scatter_wide.code
// CHECK-NOT:     @scatter_wide.code.part
// CHECK:         vector.store
// CHECK-NOT:     @scatter_wide.code.part
// CHECK:         return
func.func private @scatter_wide(%x: tensor<900x512xf32> {hlo.tied = 0 : i64}, %where: tensor<9000xi32>, %y: tensor<9000x512xf32>) -> tensor<900x512xf32> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c9000 = arith.constant 9000 : index
  %r = scf.for %i = %c0 to %c9000 step %c1 iter_args(%s = %x) -> tensor<900x512xf32> {
    %n = tensor.extract %where[%i] : tensor<9000xi32>
    %row = arith.index_cast %n : i32 to index
    %t = scf.for %j = %c0 to %c512 step %c1 iter_args(%u = %s) -> tensor<900x512xf32> {
      %a = tensor.extract %u[%row, %j] : tensor<900x512xf32>
      %b = tensor.extract %y[%i, %j] : tensor<9000x512xf32>
      %c = arith.addf %a, %b : f32
      %v = tensor.insert %c into %u[%row, %j] : tensor<900x512xf32>
      scf.yield %v : tensor<900x512xf32>
    }
    scf.yield %t : tensor<900x512xf32>
  }
  return %r : tensor<900x512xf32>
}

// Sums that wait for themselves: four vectors of them at once.

// CHECK-LABEL: func.func private @sums.code
// CHECK:           scf.for {{.*}} -> (vector<64xf32>)
// CHECK:             vector.load {{.*}} : memref<9x70xf32>, vector<64xf32>
// CHECK:         vector.constant_mask [6] : vector<64xi1>
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

// Elements of 16 bits are added as f32.

// CHECK-LABEL: func.func private @add_halves.code
// CHECK:           vector.load {{.*}} : memref<9x32xbf16>, vector<32xbf16>
// CHECK:           arith.addf {{.*}} : vector<32xf32>
// CHECK:           arith.truncf {{.*}} : vector<32xf32> to vector<32xbf16>
// CHECK:           vector.store {{.*}} : memref<9x32xbf16>, vector<32xbf16>
// CHECK:         return
func.func private @add_halves(%x: tensor<9x32xbf16> {hlo.tied = 0 : i64}, %y: tensor<32xbf16>) -> tensor<9x32xbf16> attributes {hlo.kernel = "loops"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> tensor<9x32xbf16> {
    %t = scf.for %j = %c0 to %c32 step %c1 iter_args(%u = %s) -> tensor<9x32xbf16> {
      %a = tensor.extract %u[%i, %j] : tensor<9x32xbf16>
      %b = tensor.extract %y[%j] : tensor<32xbf16>
      %wide = arith.extf %a : bf16 to f32
      %other = arith.extf %b : bf16 to f32
      %c = arith.addf %wide, %other : f32
      %narrow = arith.truncf %c : f32 to bf16
      %v = tensor.insert %narrow into %u[%i, %j] : tensor<9x32xbf16>
      scf.yield %v : tensor<9x32xbf16>
    }
    scf.yield %t : tensor<9x32xbf16>
  }
  return %r : tensor<9x32xbf16>
}
