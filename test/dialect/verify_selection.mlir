// RUN: hlo-opt %s --verify-diagnostics
// compare, select and clamp.

func.func @compare(%a: tensor<2xf32>, %b: tensor<2xf64>, %c: tensor<3xf32>, %u: tensor<2xui8>, %p: tensor<2xi1>, %z: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'stablehlo.compare' op C1: lhs and rhs must have one element type, found f32 and f64}}
  %0 = "stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.compare' op C2: lhs and rhs must have one shape, found tensor<2xf32> and tensor<3xf32>}}
  %1 = "stablehlo.compare"(%a, %c) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.compare' op C2: result must have type tensor<2xi1>, found tensor<3xi1>}}
  %2 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xi1>
  // expected-error @+1 {{'stablehlo.compare' op C3: compare_type of f32 must be FLOAT or TOTALORDER or WEAKORDER, found SIGNED}}
  %3 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.compare' op C3: compare_type of ui8 must be UNSIGNED, found SIGNED}}
  %4 = "stablehlo.compare"(%u, %u) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.compare' op C3: compare_type of complex<f32> must be FLOAT, found TOTALORDER}}
  %5 = "stablehlo.compare"(%z, %z) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.compare' op must have attribute 'comparison_direction' (one of EQ, NE, GE, GT, LE, LT)}}
  %6 = "stablehlo.compare"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.compare' op result must be tensor of boolean type, found tensor<2xi8>}}
  %7 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi8>
  %8 = "stablehlo.compare"(%p, %p) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

func.func @select(%p: tensor<3xi1>, %s: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'stablehlo.select' op C1: pred must be 0-dimensional or have the shape of on_true tensor<2xf32>, found tensor<3xi1>}}
  %0 = "stablehlo.select"(%p, %a, %a) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.select' op C2: on_true and on_false must have one type, found tensor<2xf32> and tensor<2xf64>}}
  %1 = "stablehlo.select"(%s, %a, %b) : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.select' op C2: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %2 = "stablehlo.select"(%s, %a, %a) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.select' op pred must be tensor of boolean type, found tensor<2xf32>}}
  %3 = "stablehlo.select"(%a, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.select"(%s, %a, %a) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @clamp(%s: tensor<f32>, %a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{'stablehlo.clamp' op C1: min must be 0-dimensional or have the shape of operand tensor<2xf32>, found tensor<3xf32>}}
  %0 = "stablehlo.clamp"(%b, %a, %s) : (tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.clamp' op C2: max must be 0-dimensional or have the shape of operand tensor<2xf32>, found tensor<3xf32>}}
  %1 = "stablehlo.clamp"(%s, %a, %b) : (tensor<f32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.clamp' op C3: min, operand and max must have one element type, found f32, f32, i32}}
  %2 = "stablehlo.clamp"(%s, %a, %i) : (tensor<f32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.clamp' op C4: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %3 = "stablehlo.clamp"(%s, %a, %s) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  %4 = "stablehlo.clamp"(%s, %a, %a) : (tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
