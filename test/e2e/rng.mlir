// rng: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @uniform_ui8() {
  %c0 = stablehlo.constant dense<2> : tensor<ui8>
  %0 = stablehlo.optimization_barrier %c0 : tensor<ui8>
  %c1 = stablehlo.constant dense<100> : tensor<ui8>
  %1 = stablehlo.optimization_barrier %c1 : tensor<ui8>
  %shape = stablehlo.constant dense<[5, 8]> : tensor<2xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<ui8>, tensor<ui8>, tensor<2xi64>) -> tensor<5x8xui8>
  %a = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui8>) -> tensor<5x8xui8>
  %b = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui8>) -> tensor<5x8xui8>
  %above = stablehlo.compare GE, %x, %a : (tensor<5x8xui8>, tensor<5x8xui8>) -> tensor<5x8xi1>
  %below = stablehlo.compare LT, %x, %b : (tensor<5x8xui8>, tensor<5x8xui8>) -> tensor<5x8xi1>
  %r0 = stablehlo.and %above, %below : tensor<5x8xi1>
  %last = stablehlo.slice %x [4:5, 0:8] : (tensor<5x8xui8>) -> tensor<1x8xui8>
  %repeated = stablehlo.broadcast_in_dim %last, dims = [0, 1] : (tensor<1x8xui8>) -> tensor<5x8xui8>
  %differ = stablehlo.compare NE, %x, %repeated : (tensor<5x8xui8>, tensor<5x8xui8>) -> tensor<5x8xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %r1 = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x8xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %r0, dense<[[true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true]]> : tensor<5x8xi1>
  check.expect_eq_const %r1, dense<true> : tensor<i1>
  return
}

func.func @uniform_i32() {
  %c0 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i32>
  %c1 = stablehlo.constant dense<100> : tensor<i32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i32>
  %shape = stablehlo.constant dense<[5, 8]> : tensor<2xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<5x8xi32>
  %a = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<5x8xi32>
  %b = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<5x8xi32>
  %above = stablehlo.compare GE, %x, %a : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
  %below = stablehlo.compare LT, %x, %b : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
  %r0 = stablehlo.and %above, %below : tensor<5x8xi1>
  %last = stablehlo.slice %x [4:5, 0:8] : (tensor<5x8xi32>) -> tensor<1x8xi32>
  %repeated = stablehlo.broadcast_in_dim %last, dims = [0, 1] : (tensor<1x8xi32>) -> tensor<5x8xi32>
  %differ = stablehlo.compare NE, %x, %repeated : (tensor<5x8xi32>, tensor<5x8xi32>) -> tensor<5x8xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %r1 = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x8xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %r0, dense<[[true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true]]> : tensor<5x8xi1>
  check.expect_eq_const %r1, dense<true> : tensor<i1>
  return
}

func.func @uniform_ui64() {
  %c0 = stablehlo.constant dense<2> : tensor<ui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<ui64>
  %c1 = stablehlo.constant dense<100> : tensor<ui64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<ui64>
  %shape = stablehlo.constant dense<[5, 8]> : tensor<2xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<ui64>, tensor<ui64>, tensor<2xi64>) -> tensor<5x8xui64>
  %a = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui64>) -> tensor<5x8xui64>
  %b = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui64>) -> tensor<5x8xui64>
  %above = stablehlo.compare GE, %x, %a : (tensor<5x8xui64>, tensor<5x8xui64>) -> tensor<5x8xi1>
  %below = stablehlo.compare LT, %x, %b : (tensor<5x8xui64>, tensor<5x8xui64>) -> tensor<5x8xi1>
  %r0 = stablehlo.and %above, %below : tensor<5x8xi1>
  %last = stablehlo.slice %x [4:5, 0:8] : (tensor<5x8xui64>) -> tensor<1x8xui64>
  %repeated = stablehlo.broadcast_in_dim %last, dims = [0, 1] : (tensor<1x8xui64>) -> tensor<5x8xui64>
  %differ = stablehlo.compare NE, %x, %repeated : (tensor<5x8xui64>, tensor<5x8xui64>) -> tensor<5x8xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %r1 = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x8xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %r0, dense<[[true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true]]> : tensor<5x8xi1>
  check.expect_eq_const %r1, dense<true> : tensor<i1>
  return
}

func.func @uniform_bf16() {
  %c0 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<bf16>
  %c1 = stablehlo.constant dense<1.000000e+02> : tensor<bf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<bf16>
  %shape = stablehlo.constant dense<[5, 8]> : tensor<2xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<bf16>, tensor<bf16>, tensor<2xi64>) -> tensor<5x8xbf16>
  %a = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<5x8xbf16>
  %b = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<bf16>) -> tensor<5x8xbf16>
  %above = stablehlo.compare GE, %x, %a : (tensor<5x8xbf16>, tensor<5x8xbf16>) -> tensor<5x8xi1>
  %below = stablehlo.compare LE, %x, %b : (tensor<5x8xbf16>, tensor<5x8xbf16>) -> tensor<5x8xi1>
  %r0 = stablehlo.and %above, %below : tensor<5x8xi1>
  %last = stablehlo.slice %x [4:5, 0:8] : (tensor<5x8xbf16>) -> tensor<1x8xbf16>
  %repeated = stablehlo.broadcast_in_dim %last, dims = [0, 1] : (tensor<1x8xbf16>) -> tensor<5x8xbf16>
  %differ = stablehlo.compare NE, %x, %repeated : (tensor<5x8xbf16>, tensor<5x8xbf16>) -> tensor<5x8xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %r1 = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x8xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %r0, dense<[[true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true]]> : tensor<5x8xi1>
  check.expect_eq_const %r1, dense<true> : tensor<i1>
  return
}

func.func @uniform_f32() {
  %c0 = stablehlo.constant dense<2.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<1.0e+02> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %shape = stablehlo.constant dense<[5, 8]> : tensor<2xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<5x8xf32>
  %a = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
  %b = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
  %above = stablehlo.compare GE, %x, %a : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
  %below = stablehlo.compare LT, %x, %b : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
  %r0 = stablehlo.and %above, %below : tensor<5x8xi1>
  %last = stablehlo.slice %x [4:5, 0:8] : (tensor<5x8xf32>) -> tensor<1x8xf32>
  %repeated = stablehlo.broadcast_in_dim %last, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<5x8xf32>
  %differ = stablehlo.compare NE, %x, %repeated : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %r1 = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x8xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %r0, dense<[[true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true]]> : tensor<5x8xi1>
  check.expect_eq_const %r1, dense<true> : tensor<i1>
  return
}

func.func @uniform_f64() {
  %c0 = stablehlo.constant dense<2.0e+00> : tensor<f64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f64>
  %c1 = stablehlo.constant dense<1.0e+02> : tensor<f64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f64>
  %shape = stablehlo.constant dense<[5, 8]> : tensor<2xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<5x8xf64>
  %a = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<5x8xf64>
  %b = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f64>) -> tensor<5x8xf64>
  %above = stablehlo.compare GE, %x, %a : (tensor<5x8xf64>, tensor<5x8xf64>) -> tensor<5x8xi1>
  %below = stablehlo.compare LT, %x, %b : (tensor<5x8xf64>, tensor<5x8xf64>) -> tensor<5x8xi1>
  %r0 = stablehlo.and %above, %below : tensor<5x8xi1>
  %last = stablehlo.slice %x [4:5, 0:8] : (tensor<5x8xf64>) -> tensor<1x8xf64>
  %repeated = stablehlo.broadcast_in_dim %last, dims = [0, 1] : (tensor<1x8xf64>) -> tensor<5x8xf64>
  %differ = stablehlo.compare NE, %x, %repeated : (tensor<5x8xf64>, tensor<5x8xf64>) -> tensor<5x8xi1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %r1 = stablehlo.reduce(%differ init: %false) applies stablehlo.or across dimensions = [0, 1] : (tensor<5x8xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %r0, dense<[[true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true], [true, true, true, true, true, true, true, true]]> : tensor<5x8xi1>
  check.expect_eq_const %r1, dense<true> : tensor<i1>
  return
}

func.func @normal_f32() {
  %c0 = stablehlo.constant dense<7.0e+00> : tensor<f32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<f32>
  %c1 = stablehlo.constant dense<4.0e+00> : tensor<f32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<f32>
  %shape = stablehlo.constant dense<4096> : tensor<1xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4096xf32>
  %wide = stablehlo.convert %x : (tensor<4096xf32>) -> tensor<4096xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %count = stablehlo.constant dense<4096.0> : tensor<f64>
  %sum = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %r0 = stablehlo.divide %sum, %count : tensor<f64>
  %center = stablehlo.constant dense<7.0> : tensor<4096xf64>
  %off = stablehlo.subtract %wide, %center : tensor<4096xf64>
  %distance = stablehlo.abs %off : tensor<4096xf64>
  %total = stablehlo.reduce(%distance init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %r1 = stablehlo.divide %total, %count : tensor<f64>
  check.expect_almost_eq_const %r0, dense<7.0e+00> : tensor<f64>, tolerance = 1.000000e-01
  check.expect_almost_eq_const %r1, dense<3.1915382432114616e+00> : tensor<f64>, tolerance = 1.000000e-01
  return
}

func.func @normal_bf16() {
  %c0 = stablehlo.constant dense<7.000000e+00> : tensor<bf16>
  %0 = stablehlo.optimization_barrier %c0 : tensor<bf16>
  %c1 = stablehlo.constant dense<4.000000e+00> : tensor<bf16>
  %1 = stablehlo.optimization_barrier %c1 : tensor<bf16>
  %shape = stablehlo.constant dense<4096> : tensor<1xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = NORMAL : (tensor<bf16>, tensor<bf16>, tensor<1xi64>) -> tensor<4096xbf16>
  %wide = stablehlo.convert %x : (tensor<4096xbf16>) -> tensor<4096xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %count = stablehlo.constant dense<4096.0> : tensor<f64>
  %sum = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %r0 = stablehlo.divide %sum, %count : tensor<f64>
  %center = stablehlo.constant dense<7.0> : tensor<4096xf64>
  %off = stablehlo.subtract %wide, %center : tensor<4096xf64>
  %distance = stablehlo.abs %off : tensor<4096xf64>
  %total = stablehlo.reduce(%distance init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf64>, tensor<f64>) -> tensor<f64>
  %r1 = stablehlo.divide %total, %count : tensor<f64>
  check.expect_almost_eq_const %r0, dense<7.0e+00> : tensor<f64>, tolerance = 1.000000e-01
  check.expect_almost_eq_const %r1, dense<3.1915382432114616e+00> : tensor<f64>, tolerance = 1.000000e-01
  return
}

func.func @booleans() {
  %c0 = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.optimization_barrier %c0 : tensor<i1>
  %c1 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.optimization_barrier %c1 : tensor<i1>
  %shape = stablehlo.constant dense<64> : tensor<1xi64>
  %x = stablehlo.rng %0, %1, %shape, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<64xi1>
  %r0 = stablehlo.reduce(%x init: %0) applies stablehlo.or across dimensions = [0] : (tensor<64xi1>, tensor<i1>) -> tensor<i1>
  %r1 = stablehlo.reduce(%x init: %1) applies stablehlo.and across dimensions = [0] : (tensor<64xi1>, tensor<i1>) -> tensor<i1>
  check.expect_eq_const %r0, dense<true> : tensor<i1>
  check.expect_eq_const %r1, dense<false> : tensor<i1>
  return
}
