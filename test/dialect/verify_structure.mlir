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
  // expected-error @+1 {{'stablehlo.add' op has unknown attribute 'strange', allowed are only those with a dialect prefix}}
  %3 = "stablehlo.add"(%a, %a) {strange = 1 : i32} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.add"(%a, %a) {mhlo.sharding = "{replicated}", _private, foo.bar = 1 : i32} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @names(%a: tensor<2xf32>) {
  // expected-error @+1 {{'nowhere.op' op is unknown}}
  %0 = "nowhere.op"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
