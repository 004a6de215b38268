// Complex numbers are multiplied as their parts where tiles are profitable; small contractions stay.
// RUN: hlo-opt %s --prepare-products | FileCheck %s

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func.func @large
// CHECK: %[[AR:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<64x32xcomplex<f32>>)
// CHECK: complex.re
// CHECK: %[[AI:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<64x32xcomplex<f32>>)
// CHECK: complex.im
// CHECK: %[[BR:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<32x48xcomplex<f32>>)
// CHECK: complex.re
// CHECK: %[[BI:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<32x48xcomplex<f32>>)
// CHECK: complex.im
// CHECK: %[[RR:.*]] = linalg.generic {{.*}}"reduction"{{.*}} ins(%[[AR]], %[[BR]] : tensor<64x32xf32>, tensor<32x48xf32>)
// CHECK: %[[II:.*]] = linalg.generic {{.*}}"reduction"{{.*}} ins(%[[AI]], %[[BI]] : tensor<64x32xf32>, tensor<32x48xf32>)
// CHECK: %[[RI:.*]] = linalg.generic {{.*}}"reduction"{{.*}} ins(%[[AR]], %[[BI]] : tensor<64x32xf32>, tensor<32x48xf32>)
// CHECK: %[[IR:.*]] = linalg.generic {{.*}}"reduction"{{.*}} ins(%[[AI]], %[[BR]] : tensor<64x32xf32>, tensor<32x48xf32>)
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[RR]], %[[II]], %[[RI]], %[[IR]] :
// CHECK: arith.subf
// CHECK: arith.addf
// CHECK: complex.create
// CHECK: return %[[R]]
func.func @large(%a: tensor<64x32xcomplex<f32>>, %b: tensor<32x48xcomplex<f32>>) -> tensor<64x48xcomplex<f32>> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<64x48xcomplex<f32>>
  %init = linalg.fill ins(%zero : complex<f32>) outs(%empty : tensor<64x48xcomplex<f32>>) -> tensor<64x48xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xcomplex<f32>>, tensor<32x48xcomplex<f32>>) outs(%init : tensor<64x48xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %o: complex<f32>):
    %p = complex.mul %x, %y : complex<f32>
    %s = complex.add %o, %p : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<64x48xcomplex<f32>>
  return %r : tensor<64x48xcomplex<f32>>
}

// CHECK-LABEL: func.func @small
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} ins(%arg0, %arg1 : tensor<4x5xcomplex<f32>>, tensor<5x6xcomplex<f32>>)
// CHECK: complex.mul
// CHECK-NOT: linalg.generic
func.func @small(%a: tensor<4x5xcomplex<f32>>, %b: tensor<5x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<4x6xcomplex<f32>>
  %init = linalg.fill ins(%zero : complex<f32>) outs(%empty : tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x5xcomplex<f32>>, tensor<5x6xcomplex<f32>>) outs(%init : tensor<4x6xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %o: complex<f32>):
    %p = complex.mul %x, %y : complex<f32>
    %s = complex.add %o, %p : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<4x6xcomplex<f32>>
  return %r : tensor<4x6xcomplex<f32>>
}
