// map: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xi32>
  %c1 = stablehlo.constant dense<[[4, 5], [6, 7]]> : tensor<2x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xi32>
  %r = "stablehlo.map"(%0, %1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<i32>, %a1: tensor<i32>):
    %m = stablehlo.multiply %a0, %a1 : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[0, 5], [12, 21]]> : tensor<2x2xi32>
  return
}

func.func @other_element_type() {
  %c0 = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xi32>
  %c1 = stablehlo.constant dense<[[1, 0], [3, 2]]> : tensor<2x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xi32>
  %r = "stablehlo.map"(%0, %1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<i32>, %a1: tensor<i32>):
    %p = stablehlo.compare GT, %a0, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %f = stablehlo.convert %a0 : (tensor<i32>) -> tensor<f32>
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %s = stablehlo.multiply %f, %h : tensor<f32>
    %z = stablehlo.constant dense<-1.0> : tensor<f32>
    %v = stablehlo.select %p, %s, %z : tensor<i1>, tensor<f32>
    stablehlo.return %v : tensor<f32>
  }) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[-1.0e+00, 5.0e-01], [-1.0e+00, 1.5e+00]]> : tensor<2x2xf32>
  return
}

func.func @scalars() {
  %c0 = stablehlo.constant dense<3.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %r = "stablehlo.map"(%0) <{dimensions = array<i64>}> ({
  ^bb0(%a0: tensor<f32>):
    %m = stablehlo.add %a0, %a0 : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  check.expect_eq_const %r, dense<6.0e+00> : tensor<f32>
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<> : tensor<0x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x3xf32>
  %r = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<f32>):
    %m = stablehlo.add %a0, %a0 : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %r, dense<> : tensor<0x3xf32>
  return
}

func.func @with_branches() {
  %c0 = stablehlo.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xi32>
  %c1 = stablehlo.constant dense<[[2, 3], [0, 1]]> : tensor<2x2xi32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xi32>
  %r = "stablehlo.map"(%0, %1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<i32>, %a1: tensor<i32>):
    %p = stablehlo.compare LT, %a0, %a1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v = "stablehlo.if"(%p) ({
      stablehlo.return %a1 : tensor<i32>
    }, {
      stablehlo.return %a0 : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %v : tensor<i32>
  }) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %r, dense<[[2, 3], [2, 3]]> : tensor<2x2xi32>
  return
}

func.func @ui8() {
  %c0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xui8>
  %r = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<ui8>):
    %m = stablehlo.add %a0, %a0 : tensor<ui8>
    stablehlo.return %m : tensor<ui8>
  }) : (tensor<2x3xui8>) -> tensor<2x3xui8>
  check.expect_eq_const %r, dense<[[0, 2, 4], [6, 8, 10]]> : tensor<2x3xui8>
  return
}

func.func @bf16() {
  %c0 = stablehlo.constant dense<[[0.000000e+00, 1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00]]> : tensor<2x3xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xbf16>
  %r = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<bf16>):
    %m = stablehlo.add %a0, %a0 : tensor<bf16>
    stablehlo.return %m : tensor<bf16>
  }) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  check.expect_eq_const %r, dense<[[0.000000e+00, 2.000000e+00, 4.000000e+00], [6.000000e+00, 8.000000e+00, 1.000000e+01]]> : tensor<2x3xbf16>
  return
}

func.func @f64() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf64>
  %r = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<f64>):
    %m = stablehlo.add %a0, %a0 : tensor<f64>
    stablehlo.return %m : tensor<f64>
  }) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  check.expect_eq_const %r, dense<[[0.0e+00, 2.0e+00, 4.0e+00], [6.0e+00, 8.0e+00, 1.0e+01]]> : tensor<2x3xf64>
  return
}

func.func @complex_f32() {
  %c0 = stablehlo.constant dense<[[(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00), (2.0e+00, 0.0e+00)], [(3.0e+00, 0.0e+00), (4.0e+00, 0.0e+00), (5.0e+00, 0.0e+00)]]> : tensor<2x3xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xcomplex<f32>>
  %r = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a0: tensor<complex<f32>>):
    %m = stablehlo.add %a0, %a0 : tensor<complex<f32>>
    stablehlo.return %m : tensor<complex<f32>>
  }) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  check.expect_eq_const %r, dense<[[(0.0e+00, 0.0e+00), (2.0e+00, 0.0e+00), (4.0e+00, 0.0e+00)], [(6.0e+00, 0.0e+00), (8.0e+00, 0.0e+00), (1.0e+01, 0.0e+00)]]> : tensor<2x3xcomplex<f32>>
  return
}
