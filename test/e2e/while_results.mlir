// while loops whose results are fewer than what they carry.
// RUN: hlo-run --check --target=%target %s

// Carried values of several kilobytes, of which the result of the first is not used.
func.func @unused_result() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %a = stablehlo.constant dense<1.0> : tensor<2048xf32>
  %0:3 = stablehlo.while(%x = %a, %i = %zero, %y = %a) : tensor<2048xf32>, tensor<i32>, tensor<2048xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %x, %y : tensor<2048xf32>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<2048xf32>
    stablehlo.return %3, %1, %x : tensor<2048xf32>, tensor<i32>, tensor<2048xf32>
  }
  check.expect_eq_const %0#2, dense<3.0> : tensor<2048xf32>
  return
}
