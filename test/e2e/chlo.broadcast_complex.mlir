// chlo.broadcast_complex: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @f32_0() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_complex"(%0, %1) {} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 1.0e+00), (3.0e+00, 4.0e+00), (6.0e+00, 7.0e+00)], [(2.0e+00, 1.0e+00), (5.0e+00, 4.0e+00), (1.0e+00, 7.0e+00)]]> : tensor<2x3xcomplex<f32>>
  return
}

func.func @f64_1() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00, 1.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  %r = "chlo.broadcast_complex"(%0, %1) {} : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xcomplex<f64>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 1.0e+00), (3.0e+00, 4.0e+00), (6.0e+00, 7.0e+00)], [(2.0e+00, 1.0e+00), (5.0e+00, 4.0e+00), (1.0e+00, 7.0e+00)]]> : tensor<2x3xcomplex<f64>>
  return
}

func.func @f32_2() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_complex"(%0, %1) {} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 1.0e+00), (3.0e+00, 4.0e+00), (6.0e+00, 7.0e+00)], [(0.0e+00, 3.0e+00), (3.0e+00, 6.0e+00), (6.0e+00, 2.0e+00)]]> : tensor<2x3xcomplex<f32>>
  return
}

func.func @f32_3() {
  %c0 = stablehlo.constant dense<[[0.0e+00], [3.0e+00]]> : tensor<2x1xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x1xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00]]> : tensor<1x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x3xf32>
  %r = "chlo.broadcast_complex"(%0, %1) {} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 1.0e+00), (0.0e+00, 4.0e+00), (0.0e+00, 7.0e+00)], [(3.0e+00, 1.0e+00), (3.0e+00, 4.0e+00), (3.0e+00, 7.0e+00)]]> : tensor<2x3xcomplex<f32>>
  return
}

func.func @f32_4() {
  %c0 = stablehlo.constant dense<0.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00], [7.0e+00, 3.0e+00]]> : tensor<2x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xf32>
  %r = "chlo.broadcast_complex"(%0, %1) {} : (tensor<f32>, tensor<2x2xf32>) -> tensor<2x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 1.0e+00), (0.0e+00, 4.0e+00)], [(0.0e+00, 7.0e+00), (0.0e+00, 3.0e+00)]]> : tensor<2x2xcomplex<f32>>
  return
}

func.func @f32_5() {
  %c0 = stablehlo.constant dense<[0.0e+00, 3.0e+00]> : tensor<2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00, 7.0e+00], [3.0e+00, 6.0e+00, 2.0e+00]]> : tensor<2x3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x3xf32>
  %r = "chlo.broadcast_complex"(%0, %1) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 1.0e+00), (0.0e+00, 4.0e+00), (0.0e+00, 7.0e+00)], [(3.0e+00, 3.0e+00), (3.0e+00, 6.0e+00), (3.0e+00, 2.0e+00)]]> : tensor<2x3xcomplex<f32>>
  return
}

func.func @f32_6() {
  %c0 = stablehlo.constant dense<[[[0.0e+00, 3.0e+00], [6.0e+00, 2.0e+00], [5.0e+00, 1.0e+00]], [[4.0e+00, 0.0e+00], [3.0e+00, 6.0e+00], [2.0e+00, 5.0e+00]]]> : tensor<2x3x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 7.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "chlo.broadcast_complex"(%0, %1) {broadcast_dimensions = array<i64: 1>} : (tensor<2x3x2xf32>, tensor<3xf32>) -> tensor<2x3x2xcomplex<f32>>
  check.expect_eq_const %r, dense<[[[(0.0e+00, 1.0e+00), (3.0e+00, 1.0e+00)], [(6.0e+00, 4.0e+00), (2.0e+00, 4.0e+00)], [(5.0e+00, 7.0e+00), (1.0e+00, 7.0e+00)]], [[(4.0e+00, 1.0e+00), (0.0e+00, 1.0e+00)], [(3.0e+00, 4.0e+00), (6.0e+00, 4.0e+00)], [(2.0e+00, 7.0e+00), (5.0e+00, 7.0e+00)]]]> : tensor<2x3x2xcomplex<f32>>
  return
}

func.func @f32_7() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<[[1.0e+00, 4.0e+00]]> : tensor<1x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1x2xf32>
  %r = "chlo.broadcast_complex"(%0, %1) {} : (tensor<0x2xf32>, tensor<1x2xf32>) -> tensor<0x2xcomplex<f32>>
  check.expect_eq_const %r, dense<> : tensor<0x2xcomplex<f32>>
  return
}
