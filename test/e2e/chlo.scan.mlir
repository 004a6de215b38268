// chlo.scan: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @dimension_0_5x3() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01], [1.2e+01, 1.3e+01, 1.4e+01]]> : tensor<5x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00, 1.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 0 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<3xf32>, %c: tensor<3xf32>):
    %sum = stablehlo.add %a, %c : tensor<3xf32>
    %product = stablehlo.multiply %a, %sum : tensor<3xf32>
    stablehlo.return %product, %sum : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 2.0e+00, 6.0e+00], [1.2e+01, 2.4e+01, 4.0e+01], [6.0e+01, 9.1e+01, 1.28e+02], [1.71e+02, 2.3e+02, 2.97e+02], [3.72e+02, 4.68e+02, 5.74e+02]]> : tensor<5x3xf32>
  check.expect_eq_const %r1, dense<[3.1e+01, 3.6e+01, 4.1e+01]> : tensor<3xf32>
  return
}

func.func @dimension_0_5x3_reverse() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01], [1.2e+01, 1.3e+01, 1.4e+01]]> : tensor<5x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00, 1.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<3xf32>, %c: tensor<3xf32>):
    %sum = stablehlo.add %a, %c : tensor<3xf32>
    %product = stablehlo.multiply %a, %sum : tensor<3xf32>
    stablehlo.return %product, %sum : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 3.6e+01, 8.2e+01], [9.3e+01, 1.4e+02, 1.95e+02], [1.68e+02, 2.17e+02, 2.72e+02], [1.98e+02, 2.4e+02, 2.86e+02], [1.56e+02, 1.82e+02, 2.1e+02]]> : tensor<5x3xf32>
  check.expect_eq_const %r1, dense<[3.1e+01, 3.6e+01, 4.1e+01]> : tensor<3xf32>
  return
}

func.func @dimension_1_5x3() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01], [1.2e+01, 1.3e+01, 1.4e+01]]> : tensor<5x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 1 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<5xf32>, %c: tensor<5xf32>):
    %sum = stablehlo.add %a, %c : tensor<5xf32>
    %product = stablehlo.multiply %a, %sum : tensor<5xf32>
    stablehlo.return %product, %sum : tensor<5xf32>, tensor<5xf32>
  }) : (tensor<5x3xf32>, tensor<5xf32>) -> (tensor<5x3xf32>, tensor<5xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 2.0e+00, 8.0e+00], [1.2e+01, 3.2e+01, 6.5e+01], [4.2e+01, 9.8e+01, 1.76e+02], [9.0e+01, 2.0e+02, 3.41e+02], [1.56e+02, 3.38e+02, 5.6e+02]]> : tensor<5x3xf32>
  check.expect_eq_const %r1, dense<[4.0e+00, 1.3e+01, 2.2e+01, 3.1e+01, 4.0e+01]> : tensor<5xf32>
  return
}

func.func @dimension_1_5x3_reverse() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00], [6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01], [1.2e+01, 1.3e+01, 1.4e+01]]> : tensor<5x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00, 1.0e+00]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<5xf32>, %c: tensor<5xf32>):
    %sum = stablehlo.add %a, %c : tensor<5xf32>
    %product = stablehlo.multiply %a, %sum : tensor<5xf32>
    stablehlo.return %product, %sum : tensor<5xf32>, tensor<5xf32>
  }) : (tensor<5x3xf32>, tensor<5xf32>) -> (tensor<5x3xf32>, tensor<5xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 4.0e+00, 6.0e+00], [3.9e+01, 4.0e+01, 3.0e+01], [1.32e+02, 1.12e+02, 7.2e+01], [2.79e+02, 2.2e+02, 1.32e+02], [4.8e+02, 3.64e+02, 2.1e+02]]> : tensor<5x3xf32>
  check.expect_eq_const %r1, dense<[4.0e+00, 1.3e+01, 2.2e+01, 3.1e+01, 4.0e+01]> : tensor<5xf32>
  return
}

func.func @dimension_0_1x2() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00]]> : tensor<1x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 0 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    %sum = stablehlo.add %a, %c : tensor<2xf32>
    %product = stablehlo.multiply %a, %sum : tensor<2xf32>
    stablehlo.return %product, %sum : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<1x2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 2.0e+00]]> : tensor<1x2xf32>
  check.expect_eq_const %r1, dense<[1.0e+00, 2.0e+00]> : tensor<2xf32>
  return
}

func.func @dimension_0_1x2_reverse() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00]]> : tensor<1x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 1.0e+00]> : tensor<2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<2xf32>, %c: tensor<2xf32>):
    %sum = stablehlo.add %a, %c : tensor<2xf32>
    %product = stablehlo.multiply %a, %sum : tensor<2xf32>
    stablehlo.return %product, %sum : tensor<2xf32>, tensor<2xf32>
  }) : (tensor<1x2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 2.0e+00]]> : tensor<1x2xf32>
  check.expect_eq_const %r1, dense<[1.0e+00, 2.0e+00]> : tensor<2xf32>
  return
}

func.func @dimension_1_1x2() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00]]> : tensor<1x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00]> : tensor<1xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 1 : i64, is_reverse = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<1xf32>, %c: tensor<1xf32>):
    %sum = stablehlo.add %a, %c : tensor<1xf32>
    %product = stablehlo.multiply %a, %sum : tensor<1xf32>
    stablehlo.return %product, %sum : tensor<1xf32>, tensor<1xf32>
  }) : (tensor<1x2xf32>, tensor<1xf32>) -> (tensor<1x2xf32>, tensor<1xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 2.0e+00]]> : tensor<1x2xf32>
  check.expect_eq_const %r1, dense<[2.0e+00]> : tensor<1xf32>
  return
}

func.func @dimension_1_1x2_reverse() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00]]> : tensor<1x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x2xf32>
  %c1 = stablehlo.constant dense<[1.0e+00]> : tensor<1xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<1xf32>
  %r0, %r1 = "chlo.scan"(%0, %1) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<1xf32>, %c: tensor<1xf32>):
    %sum = stablehlo.add %a, %c : tensor<1xf32>
    %product = stablehlo.multiply %a, %sum : tensor<1xf32>
    stablehlo.return %product, %sum : tensor<1xf32>, tensor<1xf32>
  }) : (tensor<1x2xf32>, tensor<1xf32>) -> (tensor<1x2xf32>, tensor<1xf32>)
  check.expect_eq_const %r0, dense<[[0.0e+00, 2.0e+00]]> : tensor<1x2xf32>
  check.expect_eq_const %r1, dense<[2.0e+00]> : tensor<1xf32>
  return
}
