// A column of bf16 put into another one: read in vectors of 64 elements of which 33 are there.
// RUN: hlo-run --check --target=%target %s

func.func @last_from_first() {
  %c0 = stablehlo.constant dense<[[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]], [[13.0, 14.0, 15.0, 16.0], [17.0, 18.0, 19.0, 20.0], [21.0, 22.0, 23.0, 24.0]], [[25.0, 26.0, 27.0, 28.0], [29.0, 30.0, 31.0, 32.0], [33.0, 34.0, 35.0, 36.0]]]]> : tensor<1x3x3x4xbf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<1x3x3x4xbf16>
  %first = stablehlo.slice %0 [0:1, 0:3, 0:3, 0:1] : (tensor<1x3x3x4xbf16>) -> tensor<1x3x3x1xbf16>
  %begin = stablehlo.constant dense<0> : tensor<i32>
  %place = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %0, %first, %begin, %begin, %begin, %place : (tensor<1x3x3x4xbf16>, tensor<1x3x3x1xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x3x4xbf16>
  check.expect_eq_const %r, dense<[[[[1.0, 2.0, 3.0, 1.0], [5.0, 6.0, 7.0, 5.0], [9.0, 10.0, 11.0, 9.0]], [[13.0, 14.0, 15.0, 13.0], [17.0, 18.0, 19.0, 17.0], [21.0, 22.0, 23.0, 21.0]], [[25.0, 26.0, 27.0, 25.0], [29.0, 30.0, 31.0, 29.0], [33.0, 34.0, 35.0, 33.0]]]]> : tensor<1x3x3x4xbf16>
  check.expect_eq_const %0, dense<[[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]], [[13.0, 14.0, 15.0, 16.0], [17.0, 18.0, 19.0, 20.0], [21.0, 22.0, 23.0, 24.0]], [[25.0, 26.0, 27.0, 28.0], [29.0, 30.0, 31.0, 32.0], [33.0, 34.0, 35.0, 36.0]]]]> : tensor<1x3x3x4xbf16>
  return
}
