// while: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @doubling() {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r0, %r1 = stablehlo.while(%i = %0, %s = %1) : tensor<i32>, tensor<3xf32>
   cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.add %s, %s : tensor<3xf32>
    stablehlo.return %j, %t : tensor<i32>, tensor<3xf32>
   }
  check.expect_eq_const %r0, dense<5> : tensor<i32>
  check.expect_eq_const %r1, dense<[3.2e+01, 6.4e+01, 9.6e+01]> : tensor<3xf32>
  return
}

func.func @never_entered() {
  %c0 = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %r0, %r1 = stablehlo.while(%i = %0, %s = %1) : tensor<i32>, tensor<3xf32>
   cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.add %s, %s : tensor<3xf32>
    stablehlo.return %j, %t : tensor<i32>, tensor<3xf32>
   }
  check.expect_eq_const %r0, dense<9> : tensor<i32>
  check.expect_eq_const %r1, dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  return
}

func.func @swapping() {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<3xf32>
  %c2 = stablehlo.constant dense<[-1.0e+00, -2.0e+00, -3.0e+00]> : tensor<3xf32>
  %2 = stablehlo.optimization_barrier %c2 : tensor<3xf32>
  %i, %r0, %r1 = stablehlo.while(%k = %0, %a = %1, %b = %2) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
   cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %j, %b, %a : tensor<i32>, tensor<3xf32>, tensor<3xf32>
   }
  check.expect_eq_const %r0, dense<[-1.0e+00, -2.0e+00, -3.0e+00]> : tensor<3xf32>
  check.expect_eq_const %r1, dense<[1.0e+00, 2.0e+00, 3.0e+00]> : tensor<3xf32>
  return
}
