// RUN: hlo-opt %s --verify-diagnostics
// The chlo, check and interpreter dialects.

func.func @functions(%a: tensor<2xf32>, %b: tensor<2xf64>, %i: tensor<2xi32>) {
  // expected-error @+1 {{'chlo.erf' op operand must be tensor of floating-point type, found tensor<2xi32>}}
  %0 = "chlo.erf"(%i) : (tensor<2xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'chlo.asin' op result must have type tensor<2xf32>, found tensor<3xf32>}}
  %1 = "chlo.asin"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'chlo.next_after' op x and y must have one type, found tensor<2xf32> and tensor<2xf64>}}
  %2 = "chlo.next_after"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  // expected-error @+1 {{'chlo.is_inf' op result must have type tensor<2xi1>, found tensor<3xi1>}}
  %3 = "chlo.is_inf"(%a) : (tensor<2xf32>) -> tensor<3xi1>
  // expected-error @+1 {{'chlo.mulhi' op lhs must be tensor of integer type, found tensor<2xf32>}}
  %4 = "chlo.mulhi"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'chlo.square' op operand must be tensor of floating-point or complex type, found tensor<2xi32>}}
  %5 = "chlo.square"(%i) : (tensor<2xi32>) -> tensor<2xi32>
  return
}

func.func @broadcast(%s: tensor<f32>, %a: tensor<3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x1xf32>, %d: tensor<2xf32>, %e: tensor<3xf64>) {
  // expected-error @+1 {{'chlo.broadcast_add' op lhs and rhs must have one element type, found f32 and f64}}
  %0 = "chlo.broadcast_add"(%a, %e) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  // expected-error @+1 {{'chlo.broadcast_add' op lhs and rhs must broadcast to one shape, found tensor<2xf32> and tensor<2x3xf32>}}
  %1 = "chlo.broadcast_add"(%d, %b) : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{'chlo.broadcast_add' op broadcast_dimensions must be 1 ascending dimensions in [0, 2), found [2]}}
  %2 = "chlo.broadcast_add"(%d, %b) {broadcast_dimensions = array<i64: 2>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{'chlo.broadcast_add' op result must have type tensor<2x3xf32>, found tensor<3xf32>}}
  %3 = "chlo.broadcast_add"(%a, %c) : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<3xf32>
  %4 = "chlo.broadcast_add"(%d, %b) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "chlo.broadcast_complex"(%s, %b) : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %6 = "chlo.broadcast_compare"(%a, %c) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
  // expected-error @+1 {{'chlo.broadcast_select' op pred, on_true and on_false must broadcast to one shape, found tensor<2x3xi1>, tensor<2xf32>, tensor<3xf32>}}
  %7 = "chlo.broadcast_select"(%6, %d, %a) : (tensor<2x3xi1>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %8 = "chlo.broadcast_select"(%6, %s, %c) : (tensor<2x3xi1>, tensor<f32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

func.func @top_k(%a: tensor<2x5xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{'chlo.top_k' op k must be in [0, 5], found 6}}
  %0:2 = "chlo.top_k"(%a) {k = 6 : i64} : (tensor<2x5xf32>) -> (tensor<2x6xf32>, tensor<2x6xi32>)
  // expected-error @+1 {{'chlo.top_k' op operand must have at least one dimension, found tensor<f32>}}
  %1:2 = "chlo.top_k"(%s) {k = 1 : i64} : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  // expected-error @+1 {{'chlo.top_k' op result 1 must have type tensor<2x3xi32>, found tensor<2x3xi64>}}
  %2:2 = "chlo.top_k"(%a) {k = 3 : i64} : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %3:2 = "chlo.top_k"(%a) {k = 3 : i64} : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

func.func @check(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{'check.expect_eq' op lhs and rhs must have one type, found tensor<2xf32> and tensor<3xf32>}}
  "check.expect_eq"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> ()
  // expected-error @+1 {{'check.expect_eq_const' op lhs and value must have one type, found tensor<2xf32> and tensor<2xi32>}}
  "check.expect_eq_const"(%a) {value = dense<1> : tensor<2xi32>} : (tensor<2xf32>) -> ()
  // expected-error @+1 {{'check.expect_almost_eq' op lhs must be tensor of floating-point or complex type, found tensor<2xi32>}}
  "check.expect_almost_eq"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> ()
  // expected-error @+1 {{'check.expect_close' op actual and expected must have one type, found tensor<2xf32> and tensor<3xf32>}}
  "check.expect_close"(%a, %b) {max_ulp_difference = 1 : ui64} : (tensor<2xf32>, tensor<3xf32>) -> ()
  "check.expect_serialized_eq"(%a) {probe_id = "a", iteration = 1 : ui32} : (tensor<2xf32>) -> ()
  return
}

func.func @interpreter(%a: tensor<2xf32>) {
  // expected-error @+1 {{'interpreter.print' op result must have type tensor<2xf32>, found tensor<3xf32>}}
  %0 = "interpreter.print"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'interpreter.probe' op must have attribute 'probe_id' (string)}}
  %1 = "interpreter.probe"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @scan_sizes(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'chlo.scan' op dimension 0 of inputs and outputs must have size 3 (scan_dim_size), found 2}}
  %0, %1 = chlo.scan (%a) inits (%b) dimension = 0 attributes {scan_dim_size = 3 : i64} {
  ^bb0(%i: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %i, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  // expected-error @+1 {{'chlo.scan' op dimension 0 of inputs and outputs must have size 2 (that of the other inputs and outputs), found 4}}
  %2, %3 = chlo.scan (%a) inits (%b) dimension = 0 {
  ^bb0(%i: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %i, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}
