// RUN: hlo-opt %s --verify-diagnostics
// Counts of operands, results and regions; attributes; names of ops.

func.func @counts(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.add' op must have 2 operands, found 1}}
  %0 = "stablehlo.add"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.add' op must have 2 operands, found 3}}
  %1 = "stablehlo.add"(%a, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.add' op must have 1 result, found 0}}
  "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()
  // expected-error @+1 {{'stablehlo.add' op must have 1 result, found 2}}
  %2:2 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-error @+1 {{'stablehlo.dynamic_slice' op must have at least 1 operand, found 0}}
  %3 = "stablehlo.dynamic_slice"() {slice_sizes = array<i64>} : () -> tensor<f32>
  // expected-error @+1 {{'stablehlo.add' op must have 0 regions, found 1}}
  %4 = "stablehlo.add"(%a, %a) ({
    "stablehlo.return"() : () -> ()
  }) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @attributes(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.reduce_precision' op must have attribute 'mantissa_bits' (32-bit integer)}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.compare' op attribute 'comparison_direction' must be one of EQ, NE, GE, GT, LE, LT, found "XX"}}
  %1 = "stablehlo.compare"(%a, %a) {comparison_direction = "XX"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.compare' op has unknown attribute 'compare_typ', did you mean 'compare_type'?}}
  %2 = "stablehlo.compare"(%a, %a) {comparison_direction = "EQ", compare_typ = "FLOAT"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %3 = "stablehlo.add"(%a, %a) {strange = 1 : i32} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.add"(%a, %a) {mhlo.sharding = "{replicated}", _private, foo.bar = 1 : i32} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @names(%a: tensor<2xf32>) {
  // expected-error @+1 {{'nowhere.op' op is unknown}}
  %0 = "nowhere.op"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @bound_of_a_known_size(%arg0: tensor<3x?xf32, #stablehlo.bounds<4, 8>>) {
  // expected-error@+1 {{operand: dimension 0 has size 3 and must have no bound, found 4}}
  %0 = "stablehlo.abs"(%arg0) : (tensor<3x?xf32, #stablehlo.bounds<4, 8>>) -> tensor<3x?xf32>
  return
}

// -----

func.func @too_few_bounds(%arg0: tensor<3x?xf32, #stablehlo.bounds<8>>) {
  // expected-error@+1 {{operand: bounds must be 2, one a dimension, found 1}}
  %0 = "stablehlo.abs"(%arg0) : (tensor<3x?xf32, #stablehlo.bounds<8>>) -> tensor<3x?xf32>
  return
}

// -----

func.func @what_comes_in_has_no_known_size(%arg0: !stablehlo.token) {
  // expected-error@+1 {{outputs must be of known sizes, found tensor<?xf32>}}
  %0:2 = "stablehlo.infeed"(%arg0) : (!stablehlo.token) -> (tensor<?xf32>, !stablehlo.token)
  return
}
