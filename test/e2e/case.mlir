// case: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @index_0() {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.case"(%0) ({ stablehlo.return %1 : tensor<3xf32> }, {
    %a = stablehlo.add %1, %1 : tensor<3xf32>
    stablehlo.return %a : tensor<3xf32>
  }, {
    %b = stablehlo.add %1, %1 : tensor<3xf32>
    %c = stablehlo.add %b, %1 : tensor<3xf32>
    stablehlo.return %c : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  return
}

func.func @index_1() {
  %c0 = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.case"(%0) ({ stablehlo.return %1 : tensor<3xf32> }, {
    %a = stablehlo.add %1, %1 : tensor<3xf32>
    stablehlo.return %a : tensor<3xf32>
  }, {
    %b = stablehlo.add %1, %1 : tensor<3xf32>
    %c = stablehlo.add %b, %1 : tensor<3xf32>
    stablehlo.return %c : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 2.0e+00, 4.0e+00]> : tensor<3xf32>
  return
}

func.func @index_2() {
  %c0 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.case"(%0) ({ stablehlo.return %1 : tensor<3xf32> }, {
    %a = stablehlo.add %1, %1 : tensor<3xf32>
    stablehlo.return %a : tensor<3xf32>
  }, {
    %b = stablehlo.add %1, %1 : tensor<3xf32>
    %c = stablehlo.add %b, %1 : tensor<3xf32>
    stablehlo.return %c : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  return
}

func.func @index_minus_1() {
  %c0 = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.case"(%0) ({ stablehlo.return %1 : tensor<3xf32> }, {
    %a = stablehlo.add %1, %1 : tensor<3xf32>
    stablehlo.return %a : tensor<3xf32>
  }, {
    %b = stablehlo.add %1, %1 : tensor<3xf32>
    %c = stablehlo.add %b, %1 : tensor<3xf32>
    stablehlo.return %c : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  return
}

func.func @index_7() {
  %c0 = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r = "stablehlo.case"(%0) ({ stablehlo.return %1 : tensor<3xf32> }, {
    %a = stablehlo.add %1, %1 : tensor<3xf32>
    stablehlo.return %a : tensor<3xf32>
  }, {
    %b = stablehlo.add %1, %1 : tensor<3xf32>
    %c = stablehlo.add %b, %1 : tensor<3xf32>
    stablehlo.return %c : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[0.0e+00, 3.0e+00, 6.0e+00]> : tensor<3xf32>
  return
}
