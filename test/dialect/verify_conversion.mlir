// RUN: hlo-opt %s --verify-diagnostics
// Ops that change the element type.

func.func @abs(%a: tensor<2xcomplex<f32>>, %u: tensor<2xui8>) {
  // expected-error @+1 {{'stablehlo.abs' op C1, C2: result must have type tensor<2xf32>, found tensor<2xf64>}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  // expected-error @+1 {{'stablehlo.abs' op operand must be tensor of signed integer, floating-point, complex or per-tensor quantized type, found tensor<2xui8>}}
  %1 = "stablehlo.abs"(%u) : (tensor<2xui8>) -> tensor<2xui8>
  %2 = "stablehlo.abs"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return
}

func.func @parts(%a: tensor<2xcomplex<f32>>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.real' op C1, C2: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %0 = "stablehlo.real"(%a) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.imag' op C1, C2: result must have type tensor<2xf32>, found tensor<2xf64>}}
  %1 = "stablehlo.imag"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  %2 = "stablehlo.real"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @complex(%a: tensor<2xf32>, %b: tensor<2xf64>, %h: tensor<2xf16>) {
  // expected-error @+1 {{'stablehlo.complex' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2xf64>}}
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  // expected-error @+1 {{'stablehlo.complex' op C2, C3: result must have type tensor<2xcomplex<f32>>, found tensor<2xcomplex<f64>>}}
  %1 = "stablehlo.complex"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  // expected-error @+1 {{'stablehlo.complex' op lhs must be tensor of f32 or f64 type, found tensor<2xf16>}}
  %2 = "stablehlo.complex"(%h, %h) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  return
}

func.func @is_finite(%a: tensor<2xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{'stablehlo.is_finite' op C1: result must have type tensor<2xi1>, found tensor<3xi1>}}
  %0 = "stablehlo.is_finite"(%a) : (tensor<2xf32>) -> tensor<3xi1>
  // expected-error @+1 {{'stablehlo.is_finite' op x must be tensor of floating-point or per-tensor quantized type, found tensor<2xi32>}}
  %1 = "stablehlo.is_finite"(%i) : (tensor<2xi32>) -> tensor<2xi1>
  return
}

func.func @convert(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.convert' op C1: operand and result must have one shape, found tensor<2xf32> and tensor<2x1xi8>}}
  %0 = "stablehlo.convert"(%a) : (tensor<2xf32>) -> tensor<2x1xi8>
  %1 = "stablehlo.convert"(%a) : (tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

func.func @bitcast_convert(%a: tensor<2xf32>, %b: tensor<3x2xi16>, %c: tensor<?xf32>) {
  // expected-error @+1 {{'stablehlo.bitcast_convert' op C1: operand and result must have the same bits in the last dimension, found tensor<2xf32> and tensor<3xi32>}}
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<3xi32>
  // expected-error @+1 {{'stablehlo.bitcast_convert' op C1: operand and result must have the same bits in the last dimension, found tensor<2xf32> and tensor<4xi16>}}
  %1 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<4xi16>
  // expected-error @+1 {{'stablehlo.bitcast_convert' op C1: operand and result must have the same bits in the last dimension, found tensor<2xf32> and tensor<2x4xi16>}}
  %2 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2x4xi16>
  // expected-error @+1 {{'stablehlo.bitcast_convert' op C1: operand and result must have the same bits in the last dimension, found tensor<3x2xi16> and tensor<2xi32>}}
  %3 = "stablehlo.bitcast_convert"(%b) : (tensor<3x2xi16>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.bitcast_convert' op C2: operand and result must both be complex or both not, found f32 and complex<f32>}}
  %4 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<1xcomplex<f32>>
  %5 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2x4xui8>
  %6 = "stablehlo.bitcast_convert"(%b) : (tensor<3x2xi16>) -> tensor<3xf32>
  %7 = "stablehlo.bitcast_convert"(%c) : (tensor<?xf32>) -> tensor<?x2xi16>
  return
}

func.func @reduce_precision(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.reduce_precision' op C1: result must have type tensor<2xf32>, found tensor<2xf16>}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<2xf16>
  // expected-error @+1 {{'stablehlo.reduce_precision' op C2: exponent_bits must be at least 1, found 0}}
  %1 = "stablehlo.reduce_precision"(%a) {exponent_bits = 0 : i32, mantissa_bits = 10 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.reduce_precision' op C3: mantissa_bits must be at least 0, found -1}}
  %2 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.reduce_precision' op attribute 'exponent_bits' must be 32-bit integer, found 5 : i64}}
  %3 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i64, mantissa_bits = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @constants() {
  // expected-error @+1 {{'stablehlo.constant' op C1: result must have type tensor<2xi32>, found tensor<3xi32>}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  %q = "stablehlo.constant"() {value = dense<1> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  // expected-error @+1 {{'stablehlo.constant' op C1: result must have type tensor<2xi32>, found tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>}}
  %r = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  // expected-error @+1 {{'stablehlo.iota' op C1: iota_dimension must be in [0, 2), found 2}}
  %1 = "stablehlo.iota"() {iota_dimension = 2 : i64} : () -> tensor<2x3xi32>
  // expected-error @+1 {{'stablehlo.iota' op output must have a static shape, found tensor<?xi32>}}
  %2 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<?xi32>
  // expected-error @+1 {{'stablehlo.iota' op output must be tensor of integer, floating-point, complex or per-tensor quantized type, found tensor<2xi1>}}
  %3 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.iota' op C1: iota_dimension must be in [0, 0), found 0}}
  %4 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<i32>
  return
}
