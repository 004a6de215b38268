// slice: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @strided() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01, 1.6e+01, 1.7e+01], [1.8e+01, 1.9e+01, 2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01, 2.5e+01, 2.6e+01], [2.7e+01, 2.8e+01, 2.9e+01, 3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01, 3.5e+01], [3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01, 4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01]]> : tensor<5x9xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x9xf32>
  %r = stablehlo.slice %0 [1:4, 0:9:3] : (tensor<5x9xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %r, dense<[[9.0e+00, 1.2e+01, 1.5e+01], [1.8e+01, 2.1e+01, 2.4e+01], [2.7e+01, 3.0e+01, 3.3e+01]]> : tensor<3x3xf32>
  return
}

func.func @empty() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01, 1.6e+01, 1.7e+01], [1.8e+01, 1.9e+01, 2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01, 2.5e+01, 2.6e+01], [2.7e+01, 2.8e+01, 2.9e+01, 3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01, 3.5e+01], [3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01, 4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01]]> : tensor<5x9xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x9xf32>
  %r = stablehlo.slice %0 [2:2, 0:9] : (tensor<5x9xf32>) -> tensor<0x9xf32>
  check.expect_eq_const %r, dense<> : tensor<0x9xf32>
  return
}

func.func @whole() {
  %c0 = stablehlo.constant dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01, 1.6e+01, 1.7e+01], [1.8e+01, 1.9e+01, 2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01, 2.5e+01, 2.6e+01], [2.7e+01, 2.8e+01, 2.9e+01, 3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01, 3.5e+01], [3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01, 4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01]]> : tensor<5x9xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5x9xf32>
  %r = stablehlo.slice %0 [0:5, 0:9] : (tensor<5x9xf32>) -> tensor<5x9xf32>
  check.expect_eq_const %r, dense<[[0.0e+00, 1.0e+00, 2.0e+00, 3.0e+00, 4.0e+00, 5.0e+00, 6.0e+00, 7.0e+00, 8.0e+00], [9.0e+00, 1.0e+01, 1.1e+01, 1.2e+01, 1.3e+01, 1.4e+01, 1.5e+01, 1.6e+01, 1.7e+01], [1.8e+01, 1.9e+01, 2.0e+01, 2.1e+01, 2.2e+01, 2.3e+01, 2.4e+01, 2.5e+01, 2.6e+01], [2.7e+01, 2.8e+01, 2.9e+01, 3.0e+01, 3.1e+01, 3.2e+01, 3.3e+01, 3.4e+01, 3.5e+01], [3.6e+01, 3.7e+01, 3.8e+01, 3.9e+01, 4.0e+01, 4.1e+01, 4.2e+01, 4.3e+01, 4.4e+01]]> : tensor<5x9xf32>
  return
}
