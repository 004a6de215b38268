// check.expect_almost_eq: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @default_tolerance() {
  %c0 = stablehlo.constant dense<[1.0e+00, 1.0e+03, 0x7FC00000, 9.999999974752427e-07]> : tensor<4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xf32>
  %c1 = stablehlo.constant dense<[1.0000499486923218e+00, 1.0000499877929688e+03, 0x7FC00000, 0.0e+00]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  "check.expect_almost_eq"(%0, %1) {} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

func.func @wide() {
  %c0 = stablehlo.constant dense<[0.0e+00, 1.0e+00, 2.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[2.5e-01, 1.25e+00, 2.25e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  "check.expect_almost_eq"(%0, %1) {tolerance = 5.0e-01 : f64} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}

func.func @complex() {
  %c0 = stablehlo.constant dense<[(1.0e+00, 1.0e+00), (1.0e+03, 1.0e+03), (0x7FC00000, 0x7FC00000), (9.999999974752427e-07, 9.999999974752427e-07)]> : tensor<4xcomplex<f32>>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xcomplex<f32>>
  %c1 = stablehlo.constant dense<[(1.0000499486923218e+00, 1.0000499486923218e+00), (1.0000499877929688e+03, 1.0000499877929688e+03), (0x7FC00000, 0x7FC00000), (0.0e+00, 0.0e+00)]> : tensor<4xcomplex<f32>>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xcomplex<f32>>
  "check.expect_almost_eq"(%0, %1) {} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> ()
  return
}
