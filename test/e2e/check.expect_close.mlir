// check.expect_close: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @equal() {
  %c0 = stablehlo.constant dense<[1.0e+00, -2.5e+00, 1.0000000031710769e-30, 2.999999894026671e+30]> : tensor<4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xf32>
  %c1 = stablehlo.constant dense<[1.0e+00, -2.5e+00, 1.0000000031710769e-30, 2.999999894026671e+30]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  "check.expect_close"(%0, %1) {} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

func.func @neighbours() {
  %c0 = stablehlo.constant dense<[1.0e+00, -2.5e+00, 1.0000000031710769e-30, 2.999999894026671e+30]> : tensor<4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xf32>
  %c1 = stablehlo.constant dense<[1.0000001192092896e+00, -2.499999761581421e+00, 1.000000097210625e-30, 3.000000196258126e+30]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  "check.expect_close"(%0, %1) {max_ulp_difference = 1 : ui64} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

func.func @exactly_two() {
  %c0 = stablehlo.constant dense<[1.0e+00, -2.5e+00, 1.0000000031710769e-30, 2.999999894026671e+30]> : tensor<4xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<4xf32>
  %c1 = stablehlo.constant dense<[1.000000238418579e+00, -2.499999523162842e+00, 1.000000191250173e-30, 3.000000498489581e+30]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<4xf32>
  "check.expect_close"(%0, %1) {max_ulp_difference = 2 : ui64, min_ulp_difference = 2 : ui64} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

func.func @doubles() {
  %c0 = stablehlo.constant dense<[1.0e+00, -2.0e+00]> : tensor<2xf64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xf64>
  %c1 = stablehlo.constant dense<[1.0000000000000002e+00, -1.9999999999999998e+00]> : tensor<2xf64>
  %1 = stablehlo.optimization_barrier %c1 : tensor<2xf64>
  "check.expect_close"(%0, %1) {} : (tensor<2xf64>, tensor<2xf64>) -> ()
  return
}

func.func @infinities_and_nan_are_the_farthest() {
  %c0 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 3.4028234663852886e+38]> : tensor<5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5xf32>
  %c1 = stablehlo.constant dense<[0xFF800000, 0x7FC00000, 3.4028234663852886e+38, 1.0e+00, 0x7F800000]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  "check.expect_close"(%0, %1) {max_ulp_difference = 18446744073709551615 : ui64, min_ulp_difference = 18446744073709551615 : ui64} : (tensor<5xf32>, tensor<5xf32>) -> ()
  return
}

func.func @infinities_and_nan_are_themselves() {
  %c0 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 3.4028234663852886e+38]> : tensor<5xf32>
  %0 = stablehlo.optimization_barrier %c0 : tensor<5xf32>
  %c1 = stablehlo.constant dense<[0x7F800000, 0x7F800000, 0x7F800000, 0x7FC00000, 3.4028234663852886e+38]> : tensor<5xf32>
  %1 = stablehlo.optimization_barrier %c1 : tensor<5xf32>
  "check.expect_close"(%0, %1) {max_ulp_difference = 0 : ui64} : (tensor<5xf32>, tensor<5xf32>) -> ()
  return
}
