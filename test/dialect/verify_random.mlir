// RUN: hlo-opt %s --verify-diagnostics
// rng and rng_bit_generator.

func.func @rng(%a: tensor<f32>, %d: tensor<f64>, %i: tensor<i32>, %s: tensor<2xi64>) {
  // expected-error @+1 {{'stablehlo.rng' op C1: a, b and result must have one element type, found f32, f64, f32}}
  %0 = "stablehlo.rng"(%a, %d, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f64>, tensor<2xi64>) -> tensor<2x3xf32>
  // expected-error @+1 {{'stablehlo.rng' op C2: NORMAL distribution must be of a floating-point type, found i32}}
  %1 = "stablehlo.rng"(%i, %i, %s) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<2x3xi32>
  // expected-error @+1 {{'stablehlo.rng' op C3: shape must have 3 elements as result tensor<2x3x4xf32> has dimensions, found 2}}
  %2 = "stablehlo.rng"(%a, %a, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3x4xf32>
  %shape = "stablehlo.constant"() {value = dense<[2, 5]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @+1 {{'stablehlo.rng' op C3: result must have the shape [2, 5], found tensor<2x3xf32>}}
  %3 = "stablehlo.rng"(%a, %a, %shape) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %4 = "stablehlo.rng"(%a, %a, %shape) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x5xf32>
  return
}

func.func @rng_bit_generator(%s: tensor<2xui64>, %t: tensor<3xui64>, %f: tensor<2xf64>) {
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op C1: output_state must have the type of initial_state tensor<2xui64>, found tensor<3xui64>}}
  %0:2 = "stablehlo.rng_bit_generator"(%s) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op C2: initial_state of THREE_FRY must have 2 elements, found 3}}
  %1:2 = "stablehlo.rng_bit_generator"(%t) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op initial_state must be 1-dimensional tensor of ui64 type, found tensor<2xf64>}}
  %2:2 = "stablehlo.rng_bit_generator"(%f) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<4xui32>)
  %3:2 = "stablehlo.rng_bit_generator"(%t) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xf32>)
  return
}
