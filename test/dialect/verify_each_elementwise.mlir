// RUN: hlo-opt %s --verify-diagnostics
// C1 of each elementwise op: one type for operands and result. First what is legal, then one wrong result for each op, one
// wrong right-hand side for each binary one.

func.func @legal(%a: tensor<2xf32>, %i: tensor<2xi32>) {
  %0 = "stablehlo.cbrt"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.ceil"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.cosine"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "stablehlo.count_leading_zeros"(%i) : (tensor<2xi32>) -> tensor<2xi32>
  %4 = "stablehlo.exponential"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %5 = "stablehlo.exponential_minus_one"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %6 = "stablehlo.floor"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %7 = "stablehlo.log"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %8 = "stablehlo.log_plus_one"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %9 = "stablehlo.logistic"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %10 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %11 = "stablehlo.not"(%i) : (tensor<2xi32>) -> tensor<2xi32>
  %12 = "stablehlo.popcnt"(%i) : (tensor<2xi32>) -> tensor<2xi32>
  %13 = "stablehlo.round_nearest_afz"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %14 = "stablehlo.round_nearest_even"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %15 = "stablehlo.rsqrt"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %16 = "stablehlo.sign"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %17 = "stablehlo.sine"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %18 = "stablehlo.sqrt"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %19 = "stablehlo.tan"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %20 = "stablehlo.tanh"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %21 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %22 = "stablehlo.and"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %23 = "stablehlo.atan2"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %24 = "stablehlo.divide"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %25 = "stablehlo.maximum"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %26 = "stablehlo.minimum"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %27 = "stablehlo.multiply"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %28 = "stablehlo.or"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %29 = "stablehlo.power"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %30 = "stablehlo.remainder"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %31 = "stablehlo.shift_left"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %32 = "stablehlo.shift_right_arithmetic"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %33 = "stablehlo.shift_right_logical"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %34 = "stablehlo.subtract"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %35 = "stablehlo.xor"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %36 = "stablehlo.exp2"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %37 = "stablehlo.log2"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @result(%a: tensor<2xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{'stablehlo.cbrt' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %0 = "stablehlo.cbrt"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.ceil' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %1 = "stablehlo.ceil"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.cosine' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %2 = "stablehlo.cosine"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.count_leading_zeros' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %3 = "stablehlo.count_leading_zeros"(%i) : (tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.exponential' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %4 = "stablehlo.exponential"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.exponential_minus_one' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %5 = "stablehlo.exponential_minus_one"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.floor' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %6 = "stablehlo.floor"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.log' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %7 = "stablehlo.log"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.log_plus_one' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %8 = "stablehlo.log_plus_one"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.logistic' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %9 = "stablehlo.logistic"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.negate' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %10 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.not' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %11 = "stablehlo.not"(%i) : (tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.popcnt' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %12 = "stablehlo.popcnt"(%i) : (tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.round_nearest_afz' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %13 = "stablehlo.round_nearest_afz"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.round_nearest_even' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %14 = "stablehlo.round_nearest_even"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.rsqrt' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %15 = "stablehlo.rsqrt"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.sign' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %16 = "stablehlo.sign"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.sine' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %17 = "stablehlo.sine"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.sqrt' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %18 = "stablehlo.sqrt"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.tan' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %19 = "stablehlo.tan"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.tanh' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %20 = "stablehlo.tanh"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.add' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %21 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.and' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %22 = "stablehlo.and"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.atan2' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %23 = "stablehlo.atan2"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.divide' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %24 = "stablehlo.divide"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.maximum' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %25 = "stablehlo.maximum"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.minimum' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %26 = "stablehlo.minimum"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.multiply' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %27 = "stablehlo.multiply"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.or' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %28 = "stablehlo.or"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.power' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %29 = "stablehlo.power"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.remainder' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %30 = "stablehlo.remainder"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.shift_left' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %31 = "stablehlo.shift_left"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.shift_right_arithmetic' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %32 = "stablehlo.shift_right_arithmetic"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.shift_right_logical' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %33 = "stablehlo.shift_right_logical"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.subtract' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %34 = "stablehlo.subtract"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.xor' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %35 = "stablehlo.xor"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.exp2' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %36 = "stablehlo.exp2"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.log2' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %37 = "stablehlo.log2"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

func.func @operands(%a: tensor<2xf32>, %i: tensor<2xi32>, %b: tensor<2x1xf32>, %j: tensor<2x1xi32>) {
  // expected-error @+1 {{'stablehlo.add' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.and' op C1: lhs and rhs must have one type, found tensor<2xi32> and tensor<2x1xi32>}}
  %1 = "stablehlo.and"(%i, %j) : (tensor<2xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.atan2' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %2 = "stablehlo.atan2"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.divide' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %3 = "stablehlo.divide"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.maximum' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %4 = "stablehlo.maximum"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.minimum' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %5 = "stablehlo.minimum"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.multiply' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %6 = "stablehlo.multiply"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.or' op C1: lhs and rhs must have one type, found tensor<2xi32> and tensor<2x1xi32>}}
  %7 = "stablehlo.or"(%i, %j) : (tensor<2xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.power' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %8 = "stablehlo.power"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.remainder' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %9 = "stablehlo.remainder"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.shift_left' op C1: lhs and rhs must have one type, found tensor<2xi32> and tensor<2x1xi32>}}
  %10 = "stablehlo.shift_left"(%i, %j) : (tensor<2xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.shift_right_arithmetic' op C1: lhs and rhs must have one type, found tensor<2xi32> and tensor<2x1xi32>}}
  %11 = "stablehlo.shift_right_arithmetic"(%i, %j) : (tensor<2xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.shift_right_logical' op C1: lhs and rhs must have one type, found tensor<2xi32> and tensor<2x1xi32>}}
  %12 = "stablehlo.shift_right_logical"(%i, %j) : (tensor<2xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.subtract' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2x1xf32>}}
  %13 = "stablehlo.subtract"(%a, %b) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.xor' op C1: lhs and rhs must have one type, found tensor<2xi32> and tensor<2x1xi32>}}
  %14 = "stablehlo.xor"(%i, %j) : (tensor<2xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  return
}
