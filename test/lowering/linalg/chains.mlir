// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s
// RUN: hlo-opt %s --stablehlo-to-linalg=target=sm_80 | FileCheck %s --check-prefix=GPU

// A long chain of elementwise ops is one linalg.generic; a number for all elements is read as such, a constant is written in it.

// GPU-LABEL: func.func @chain
// GPU-COUNT-32: linalg.generic

// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic {{.*}} ins(%arg1, %arg0 : tensor<f32>, tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[C:.*]] = arith.constant 3.0{{0*}}e+00 : f32
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[X]], %[[S]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[A]], %[[C]] : f32
// CHECK-COUNT-30: arith.{{addf|mulf}}
// CHECK: linalg.yield
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<4xf32>, %t: tensor<f32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<3.0> : tensor<4xf32>
  %s = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.add %x, %s : tensor<4xf32>
  %1 = stablehlo.multiply %0, %c : tensor<4xf32>
  %2 = stablehlo.add %1, %c : tensor<4xf32>
  %3 = stablehlo.multiply %2, %s : tensor<4xf32>
  %4 = stablehlo.add %3, %c : tensor<4xf32>
  %5 = stablehlo.multiply %4, %c : tensor<4xf32>
  %6 = stablehlo.add %5, %s : tensor<4xf32>
  %7 = stablehlo.multiply %6, %c : tensor<4xf32>
  %8 = stablehlo.add %7, %c : tensor<4xf32>
  %9 = stablehlo.multiply %8, %s : tensor<4xf32>
  %10 = stablehlo.add %9, %c : tensor<4xf32>
  %11 = stablehlo.multiply %10, %c : tensor<4xf32>
  %12 = stablehlo.add %11, %s : tensor<4xf32>
  %13 = stablehlo.multiply %12, %c : tensor<4xf32>
  %14 = stablehlo.add %13, %c : tensor<4xf32>
  %15 = stablehlo.multiply %14, %s : tensor<4xf32>
  %16 = stablehlo.add %15, %c : tensor<4xf32>
  %17 = stablehlo.multiply %16, %c : tensor<4xf32>
  %18 = stablehlo.add %17, %s : tensor<4xf32>
  %19 = stablehlo.multiply %18, %c : tensor<4xf32>
  %20 = stablehlo.add %19, %c : tensor<4xf32>
  %21 = stablehlo.multiply %20, %s : tensor<4xf32>
  %22 = stablehlo.add %21, %c : tensor<4xf32>
  %23 = stablehlo.multiply %22, %c : tensor<4xf32>
  %24 = stablehlo.add %23, %s : tensor<4xf32>
  %25 = stablehlo.multiply %24, %c : tensor<4xf32>
  %26 = stablehlo.add %25, %c : tensor<4xf32>
  %27 = stablehlo.multiply %26, %s : tensor<4xf32>
  %28 = stablehlo.add %27, %c : tensor<4xf32>
  %29 = stablehlo.multiply %28, %c : tensor<4xf32>
  %30 = stablehlo.add %29, %s : tensor<4xf32>
  %31 = stablehlo.multiply %30, %c : tensor<4xf32>
  return %31 : tensor<4xf32>
}

// A value that is read elsewhere ends a chain: here both parts are too short for one.

// CHECK-LABEL: func.func @two_results
// CHECK-COUNT-31: linalg.generic
func.func @two_results(%x: tensor<4xf32>, %t: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = stablehlo.constant dense<3.0> : tensor<4xf32>
  %s = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.add %x, %s : tensor<4xf32>
  %1 = stablehlo.multiply %0, %c : tensor<4xf32>
  %2 = stablehlo.add %1, %c : tensor<4xf32>
  %3 = stablehlo.multiply %2, %s : tensor<4xf32>
  %4 = stablehlo.add %3, %c : tensor<4xf32>
  %5 = stablehlo.multiply %4, %c : tensor<4xf32>
  %6 = stablehlo.add %5, %s : tensor<4xf32>
  %7 = stablehlo.multiply %6, %c : tensor<4xf32>
  %8 = stablehlo.add %7, %c : tensor<4xf32>
  %9 = stablehlo.multiply %8, %s : tensor<4xf32>
  %10 = stablehlo.add %9, %c : tensor<4xf32>
  %11 = stablehlo.multiply %10, %c : tensor<4xf32>
  %12 = stablehlo.add %11, %s : tensor<4xf32>
  %13 = stablehlo.multiply %12, %c : tensor<4xf32>
  %14 = stablehlo.add %13, %c : tensor<4xf32>
  %15 = stablehlo.multiply %14, %s : tensor<4xf32>
  %16 = stablehlo.add %15, %c : tensor<4xf32>
  %17 = stablehlo.multiply %16, %c : tensor<4xf32>
  %18 = stablehlo.add %17, %s : tensor<4xf32>
  %19 = stablehlo.multiply %18, %c : tensor<4xf32>
  %20 = stablehlo.add %19, %c : tensor<4xf32>
  %21 = stablehlo.multiply %20, %s : tensor<4xf32>
  %22 = stablehlo.add %21, %c : tensor<4xf32>
  %23 = stablehlo.multiply %22, %c : tensor<4xf32>
  %24 = stablehlo.add %23, %s : tensor<4xf32>
  %25 = stablehlo.multiply %24, %c : tensor<4xf32>
  %26 = stablehlo.add %25, %c : tensor<4xf32>
  %27 = stablehlo.multiply %26, %s : tensor<4xf32>
  %28 = stablehlo.add %27, %c : tensor<4xf32>
  %29 = stablehlo.multiply %28, %c : tensor<4xf32>
  %30 = stablehlo.add %29, %s : tensor<4xf32>
  %31 = stablehlo.multiply %30, %c : tensor<4xf32>
  return %31, %15 : tensor<4xf32>, tensor<4xf32>
}
