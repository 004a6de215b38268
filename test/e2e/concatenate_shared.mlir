// Arrays that are joined, reversed, transposed and updated from values that several of the parts need: each is computed once.
// RUN: hlo-run --check --target=%target %s

func.func @equal_shapes() {
  %i = stablehlo.iota dim = 0 : tensor<300xf32>
  %b = stablehlo.optimization_barrier %i : tensor<300xf32>
  %squares = stablehlo.multiply %b, %b : tensor<300xf32>
  %f = stablehlo.sqrt %squares : tensor<300xf32>
  %back = stablehlo.reverse %f, dims = [0] : tensor<300xf32>
  %twice = stablehlo.add %f, %f : tensor<300xf32>
  %r = stablehlo.concatenate %f, %twice, %back, dim = 0 : (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<900xf32>
  %i2 = stablehlo.add %i, %i : tensor<300xf32>
  %last = stablehlo.constant dense<299.0> : tensor<300xf32>
  %down = stablehlo.subtract %last, %i : tensor<300xf32>
  %0 = stablehlo.slice %r [0:300] : (tensor<900xf32>) -> tensor<300xf32>
  %1 = stablehlo.slice %r [300:600] : (tensor<900xf32>) -> tensor<300xf32>
  %2 = stablehlo.slice %r [600:900] : (tensor<900xf32>) -> tensor<300xf32>
  check.expect_eq %0, %i : tensor<300xf32>
  check.expect_eq %1, %i2 : tensor<300xf32>
  check.expect_eq %2, %down : tensor<300xf32>
  return
}

func.func @other_shapes() {
  %i = stablehlo.iota dim = 0 : tensor<300xf32>
  %b = stablehlo.optimization_barrier %i : tensor<300xf32>
  %squares = stablehlo.multiply %b, %b : tensor<300xf32>
  %f = stablehlo.sqrt %squares : tensor<300xf32>
  %some = stablehlo.slice %f [7:20] : (tensor<300xf32>) -> tensor<13xf32>
  %twice = stablehlo.add %some, %some : tensor<13xf32>
  %r = stablehlo.concatenate %twice, %f, dim = 0 : (tensor<13xf32>, tensor<300xf32>) -> tensor<313xf32>
  %0 = stablehlo.slice %r [0:13] : (tensor<313xf32>) -> tensor<13xf32>
  %1 = stablehlo.slice %r [13:313] : (tensor<313xf32>) -> tensor<300xf32>
  check.expect_eq_const %0, dense<[14.0, 16.0, 18.0, 20.0, 22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 34.0, 36.0, 38.0]> : tensor<13xf32>
  check.expect_eq %1, %i : tensor<300xf32>
  return
}

func.func @scalars() {
  %c0 = stablehlo.constant dense<[4.0, 9.0, 16.0]> : tensor<3xf32>
  %b = stablehlo.optimization_barrier %c0 : tensor<3xf32>
  %f = stablehlo.sqrt %b : tensor<3xf32>
  %a0 = stablehlo.slice %f [0:1] : (tensor<3xf32>) -> tensor<1xf32>
  %a1 = stablehlo.slice %f [1:2] : (tensor<3xf32>) -> tensor<1xf32>
  %a2 = stablehlo.slice %f [2:3] : (tensor<3xf32>) -> tensor<1xf32>
  %s = stablehlo.multiply %a0, %a1 : tensor<1xf32>
  %t = stablehlo.add %s, %a2 : tensor<1xf32>
  %q = stablehlo.divide %t, %a0 : tensor<1xf32>
  %r = stablehlo.concatenate %q, %s, %t, %a0, %q, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5xf32>
  check.expect_eq_const %r, dense<[5.0, 6.0, 10.0, 2.0, 5.0]> : tensor<5xf32>
  return
}

// Two halves that change places in the memory of the argument.
func.func @halves_change_places() {
  %i = stablehlo.iota dim = 0 : tensor<64xf32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %w:2 = stablehlo.while(%k = %n, %x = %i) : tensor<i32>, tensor<64xf32>
    cond {
      %p = stablehlo.compare LT, %k, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %m = stablehlo.add %k, %one : tensor<i32>
      %squares = stablehlo.multiply %x, %x : tensor<64xf32>
      %f = stablehlo.sqrt %squares : tensor<64xf32>
      %low = stablehlo.slice %f [0:32] : (tensor<64xf32>) -> tensor<32xf32>
      %high = stablehlo.slice %f [32:64] : (tensor<64xf32>) -> tensor<32xf32>
      %back = stablehlo.reverse %low, dims = [0] : tensor<32xf32>
      %sum = stablehlo.add %high, %low : tensor<32xf32>
      %y = stablehlo.concatenate %sum, %back, dim = 0 : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
      stablehlo.return %m, %y : tensor<i32>, tensor<64xf32>
    }
  // k, 32 + k -> 32 + 2k, 31 - k -> 63 + k, 94 - 2k (of 31 - k) -> 157 - k, 94 - k
  %low = stablehlo.slice %w#1 [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  %high = stablehlo.slice %w#1 [32:64] : (tensor<64xf32>) -> tensor<32xf32>
  %k = stablehlo.iota dim = 0 : tensor<32xf32>
  %c157 = stablehlo.constant dense<157.0> : tensor<32xf32>
  %c94 = stablehlo.constant dense<94.0> : tensor<32xf32>
  %want_low = stablehlo.subtract %c157, %k : tensor<32xf32>
  %want_high = stablehlo.subtract %c94, %k : tensor<32xf32>
  check.expect_eq %low, %want_low : tensor<32xf32>
  check.expect_eq %high, %want_high : tensor<32xf32>
  return
}
