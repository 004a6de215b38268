// pad: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @all_kinds() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<-1.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.pad %0, %1, low = [1, 2], high = [1, 1], interior = [1, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x8xf32>
  check.expect_eq_const %r, dense<[[-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, 0.0e+00, -1.0e+00, 1.0e+00, -1.0e+00, 2.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, 3.0e+00, -1.0e+00, 4.0e+00, -1.0e+00, 5.0e+00, -1.0e+00], [-1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00, -1.0e+00]]> : tensor<5x8xf32>
  return
}

func.func @negative() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00], [3.0e+00, 4.0e+00, 5.0e+00]]> : tensor<2x3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2x3xf32>
  %c1 = stablehlo.constant dense<-1.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.pad %0, %1, low = [0, -1], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  check.expect_eq_const %r, dense<[[1.0e+00, 2.0e+00], [4.0e+00, 5.0e+00]]> : tensor<2x2xf32>
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<> : tensor<0xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<0xf32>
  %c1 = stablehlo.constant dense<7.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %r = stablehlo.pad %0, %1, low = [1], high = [1], interior = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %r, dense<[7.0e+00, 7.0e+00]> : tensor<2xf32>
  return
}
