// composite: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @one() {
  %c0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %r = stablehlo.composite "my.double" %0 {composite_attributes = {factor = 2 : i64}, decomposition = @doubled, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  check.expect_eq_const %r, dense<[2.0e+00, 4.0e+00, 6.0e+00]> : tensor<3xf32>
  return
}

func.func private @doubled(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = stablehlo.add %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @nested() {
  %c0 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, 4.0e+00, 9.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r0, %r1 = stablehlo.composite "my.both" %0, %1 {decomposition = @both} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  check.expect_eq_const %r0, dense<[1.0e+00, 0.0e+00, -3.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<[2.0e+00, 4.0e+00, 6.0e+00]> : tensor<3xf32>
  return
}

func.func private @both(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %d = stablehlo.composite "my.double" %x {decomposition = @doubled} : (tensor<3xf32>) -> tensor<3xf32>
  %s = stablehlo.subtract %d, %y : tensor<3xf32>
  return %s, %d : tensor<3xf32>, tensor<3xf32>
}
