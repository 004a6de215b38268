// check.expect_eq: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @equal_0() {
  %c0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xi1>
  %c1 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xi1>
  "check.expect_eq"(%0, %1) {} : (tensor<2xi1>, tensor<2xi1>) -> ()
  return
}

func.func @equal_1() {
  %c0 = stablehlo.constant dense<[1.0e+00, 0x7FF8000000000000, -0.0e+00]> : tensor<3xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf64>
  %c1 = stablehlo.constant dense<[1.0e+00, 0x7FF8000000000000, -0.0e+00]> : tensor<3xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf64>
  "check.expect_eq"(%0, %1) {} : (tensor<3xf64>, tensor<3xf64>) -> ()
  return
}

func.func @equal_2() {
  %c0 = stablehlo.constant dense<> : tensor<0x2xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0x2xf32>
  %c1 = stablehlo.constant dense<> : tensor<0x2xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<0x2xf32>
  "check.expect_eq"(%0, %1) {} : (tensor<0x2xf32>, tensor<0x2xf32>) -> ()
  return
}

func.func @equal_3() {
  %c0 = stablehlo.constant dense<3> : tensor<i8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i8>
  %c1 = stablehlo.constant dense<3> : tensor<i8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i8>
  "check.expect_eq"(%0, %1) {} : (tensor<i8>, tensor<i8>) -> ()
  return
}

func.func @equal_4() {
  %c0 = stablehlo.constant dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x2xcomplex<f32>>
  %c1 = stablehlo.constant dense<[[(1.0e+00, 0.0e+00), (0.0e+00, 0.0e+00)], [(0.0e+00, 0.0e+00), (1.0e+00, 0.0e+00)]]> : tensor<2x2xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2x2xcomplex<f32>>
  "check.expect_eq"(%0, %1) {} : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> ()
  return
}

func.func @zeros_of_both_signs() {
  %c0 = stablehlo.constant dense<[0.0e+00, -0.0e+00]> : tensor<2xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf64>
  %c1 = stablehlo.constant dense<[-0.0e+00, 0.0e+00]> : tensor<2xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf64>
  "check.expect_eq"(%0, %1) {} : (tensor<2xf64>, tensor<2xf64>) -> ()
  return
}
