// if whose branches only choose between values.
// RUN: hlo-run --check --target=%target %s

// Branches that only choose between values: a select of whole tensors.
func.func private @chosen(%p: tensor<i1>, %a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a) : (tensor<2x2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<2x2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

func.func @main() {
  %n = stablehlo.constant dense<[3.0, -3.0]> : tensor<2xf32>
  %a = stablehlo.iota dim = 0 : tensor<2x2xf32>
  %b = stablehlo.iota dim = 1 : tensor<2x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %n [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %barrier = stablehlo.optimization_barrier %1 : tensor<f32>
  %p = stablehlo.compare LT, %barrier, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = func.call @chosen(%p, %a, %b) : (tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %2, dense<[[0.0, 1.0], [0.0, 1.0]]> : tensor<2x2xf32>
  return
}
