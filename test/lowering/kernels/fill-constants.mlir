// RUN: hlo-opt %s --fill-constants | FileCheck %s

// What a kernel updates in place, a loop begins with, and a program returns is filled; small arrays and unequal elements stay.
// CHECK-LABEL: func.func @main
// CHECK:         %[[SMALL:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[TABLE:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<256x256xf32>)
// CHECK:         call @add_rows(%[[TABLE]])
// CHECK:         call @add_few(%[[SMALL]])
// CHECK:         %[[START:.*]] = linalg.fill {{.*}} -> tensor<100000xi32>
// CHECK:         scf.while (%{{.*}} = %[[START]])
// CHECK:         %[[ONE:.*]] = complex.constant [1.000000e+00 : f32, -2.000000e+00 : f32]
// CHECK:         %[[RETURNED:.*]] = linalg.fill ins(%[[ONE]]
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}}, %[[RETURNED]]
func.func @main(%i: tensor<i1>) -> (tensor<256x256xf32>, tensor<8xf32>, tensor<100000xi32>, tensor<65536xcomplex<f32>>) {
  %table = arith.constant dense<0.0> : tensor<256x256xf32>
  %few = arith.constant dense<0.0> : tensor<8xf32>
  %start = arith.constant dense<7> : tensor<100000xi32>
  %complex = arith.constant dense<(1.0, -2.0)> : tensor<65536xcomplex<f32>>
  %0 = call @add_rows(%table) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = call @add_few(%few) : (tensor<8xf32>) -> tensor<8xf32>
  %c = tensor.extract %i[] : tensor<i1>
  %2 = scf.while (%a = %start) : (tensor<100000xi32>) -> tensor<100000xi32> {
    scf.condition(%c) %a : tensor<100000xi32>
  } do {
  ^bb0(%a: tensor<100000xi32>):
    scf.yield %a : tensor<100000xi32>
  }
  return %0, %1, %2, %complex : tensor<256x256xf32>, tensor<8xf32>, tensor<100000xi32>, tensor<65536xcomplex<f32>>
}

func.func private @add_rows(%t: tensor<256x256xf32> {hlo.tied = 0 : i64}) -> tensor<256x256xf32> attributes {hlo.kernel = "loops"} {
  return %t : tensor<256x256xf32>
}

func.func private @add_few(%t: tensor<8xf32> {hlo.tied = 0 : i64}) -> tensor<8xf32> attributes {hlo.kernel = "loops"} {
  return %t : tensor<8xf32>
}
