// rng_bit_generator: made by test/e2e/generate.
// RUN: hlo-run --check --target=%target %s

func.func @example() {
  %c0 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  check.expect_eq_const %r0, dense<[1, 6]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]]> : tensor<2x2xui64>
  return
}

func.func @three_fry_zeros_uint32() {
  %c0 = stablehlo.constant dense<[0, 0]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r0, dense<[0, 1]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[1797259609, 2579123966]> : tensor<2xui32>
  return
}

func.func @three_fry_ones_uint32() {
  %c0 = stablehlo.constant dense<[18446744073709551615, 18446744073709551615]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r0, dense<[18446744073709551615, 0]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[481924860, 3137350631]> : tensor<2xui32>
  return
}

func.func @three_fry_pi_uint32() {
  %c0 = stablehlo.constant dense<[247824715720788526, 9629550131187509896]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %r0, dense<[247824715720788526, 9629550131187509897]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[3297917596, 1212020640]> : tensor<2xui32>
  return
}

func.func @three_fry_pi_uint64() {
  %c0 = stablehlo.constant dense<[247824715720788526, 9629550131187509896]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  check.expect_eq_const %r0, dense<[247824715720788526, 9629550131187509897]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[5205589014174907036]> : tensor<1xui64>
  return
}

func.func @three_fry_pi_int32() {
  %c0 = stablehlo.constant dense<[247824715720788526, 9629550131187509896]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi32>)
  check.expect_eq_const %r0, dense<[247824715720788526, 9629550131187509897]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[-997049700, 1212020640]> : tensor<2xi32>
  return
}

func.func @three_fry_pi_uint8() {
  %c0 = stablehlo.constant dense<[247824715720788526, 9629550131187509896]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui8>)
  check.expect_eq_const %r0, dense<[247824715720788526, 9629550131187509897]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[156, 160]> : tensor<2xui8>
  return
}

func.func @three_fry_pi_int16() {
  %c0 = stablehlo.constant dense<[247824715720788526, 9629550131187509896]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi16>)
  check.expect_eq_const %r0, dense<[247824715720788526, 9629550131187509897]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[15004, -2144]> : tensor<2xi16>
  return
}

func.func @philox_zeros_uint32() {
  %c0 = stablehlo.constant dense<[0, 0, 0]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %r0, dense<[0, 1, 0]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[1713891541, 3781805453, 3159862348, 2600524760]> : tensor<4xui32>
  return
}

func.func @philox_ones_uint32() {
  %c0 = stablehlo.constant dense<[18446744073709551615, 18446744073709551615, 18446744073709551615]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %r0, dense<[18446744073709551615, 0, 0]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[1083123565, 1103641358, 2718681030, 1834242557]> : tensor<4xui32>
  return
}

func.func @philox_pi_uint32() {
  %c0 = stablehlo.constant dense<[2999170649027065890, 9629550131187509896, 247824715720788526]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  check.expect_eq_const %r0, dense<[2999170649027065890, 9629550131187509897, 247824715720788526]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[3513581065, 2499661035, 1342301216, 605187745]> : tensor<4xui32>
  return
}

func.func @philox_pi_uint64() {
  %c0 = stablehlo.constant dense<[2999170649027065890, 9629550131187509896, 247824715720788526]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui64>)
  check.expect_eq_const %r0, dense<[2999170649027065890, 9629550131187509897, 247824715720788526]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[10735962399924092425, 2599261574057288736]> : tensor<2xui64>
  return
}

func.func @philox_pi_int32() {
  %c0 = stablehlo.constant dense<[2999170649027065890, 9629550131187509896, 247824715720788526]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xi32>)
  check.expect_eq_const %r0, dense<[2999170649027065890, 9629550131187509897, 247824715720788526]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[-781386231, -1795306261, 1342301216, 605187745]> : tensor<4xi32>
  return
}

func.func @philox_pi_uint8() {
  %c0 = stablehlo.constant dense<[2999170649027065890, 9629550131187509896, 247824715720788526]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui8>)
  check.expect_eq_const %r0, dense<[2999170649027065890, 9629550131187509897, 247824715720788526]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[9, 235, 32, 161]> : tensor<4xui8>
  return
}

func.func @philox_pi_int16() {
  %c0 = stablehlo.constant dense<[2999170649027065890, 9629550131187509896, 247824715720788526]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xi16>)
  check.expect_eq_const %r0, dense<[2999170649027065890, 9629550131187509897, 247824715720788526]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[-503, -13077, -7136, 28321]> : tensor<4xi16>
  return
}

func.func @default_is_philox() {
  %c0 = stablehlo.constant dense<[2999170649027065890, 9629550131187509896, 247824715720788526]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = DEFAULT : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xf32>)
  check.expect_eq_const %r0, dense<[2999170649027065890, 9629550131187509897, 247824715720788526]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[-6.3617142784e+10, -2.5627297441839334e-26, 8.716845056e+09, 3.1752409765089187e-17]> : tensor<4xf32>
  return
}

func.func @philox_two() {
  %c0 = stablehlo.constant dense<[0, 0]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  check.expect_eq_const %r0, dense<[0, 1]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<[1713891541, 3781805453, 3159862348, 2600524760]> : tensor<4xui32>
  return
}

func.func @part_of_a_block() {
  %c0 = stablehlo.constant dense<[0, 0, 0]> : tensor<3xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<3xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xui32>)
  check.expect_eq_const %r0, dense<[0, 1, 0]> : tensor<3xui64>
  check.expect_eq_const %r1, dense<[1713891541, 3781805453, 3159862348]> : tensor<3xui32>
  return
}

func.func @nothing_three_fry() {
  %c0 = stablehlo.constant dense<[5, 6]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x0xui32>)
  check.expect_eq_const %r0, dense<[5, 6]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<> : tensor<2x0xui32>
  return
}

func.func @nothing_philox() {
  %c0 = stablehlo.constant dense<[5, 6]> : tensor<2xui64>
  %0 = stablehlo.optimization_barrier %c0 : tensor<2xui64>
  %r0, %r1 = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x0xui32>)
  check.expect_eq_const %r0, dense<[5, 6]> : tensor<2xui64>
  check.expect_eq_const %r1, dense<> : tensor<2x0xui32>
  return
}
