// RUN: hlo-opt %s --verify-diagnostics
// Elementwise ops: element types of operands, and C1, one type for all.

func.func @binary_c1_operands(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.add' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<3xf32>}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

func.func @binary_c1_ranks(%a: tensor<f32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{'stablehlo.multiply' op C1: lhs and rhs must have one type, found tensor<f32> and tensor<1xf32>}}
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<f32>, tensor<1xf32>) -> tensor<f32>
  return
}

func.func @binary_c1_elements(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @+1 {{'stablehlo.maximum' op C1: lhs and rhs must have one type, found tensor<2xf32> and tensor<2xf64>}}
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

func.func @binary_c1_result(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.add' op C1: result must have type tensor<2xf32>, found tensor<2xi32>}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi32>
  return
}

func.func @unary_c1(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.exponential' op C1: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %0 = "stablehlo.exponential"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

func.func @float_ops(%a: tensor<2xi32>) {
  // expected-error @+1 {{'stablehlo.sine' op operand must be tensor of floating-point, complex or per-tensor quantized type, found tensor<2xi32>}}
  %0 = "stablehlo.sine"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.floor' op operand must be tensor of floating-point or per-tensor quantized type, found tensor<2xi32>}}
  %1 = "stablehlo.floor"(%a) : (tensor<2xi32>) -> tensor<2xi32>
  // expected-error @+1 {{'stablehlo.atan2' op lhs must be tensor of floating-point, complex or per-tensor quantized type, found tensor<2xi32>}}
  %2 = "stablehlo.atan2"(%a, %a) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

func.func @floor_of_complex(%a: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'stablehlo.floor' op operand must be tensor of floating-point or per-tensor quantized type, found tensor<2xcomplex<f32>>}}
  %0 = "stablehlo.floor"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

func.func @integer_ops(%a: tensor<2xf32>, %b: tensor<2xi1>) {
  // expected-error @+1 {{'stablehlo.popcnt' op operand must be tensor of integer type, found tensor<2xf32>}}
  %0 = "stablehlo.popcnt"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.shift_left' op lhs must be tensor of integer type, found tensor<2xi1>}}
  %1 = "stablehlo.shift_left"(%b, %b) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.and' op lhs must be tensor of boolean or integer type, found tensor<2xf32>}}
  %2 = "stablehlo.and"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @number_ops(%a: tensor<2xi1>) {
  // expected-error @+1 {{'stablehlo.subtract' op lhs must be tensor of integer, floating-point, complex or per-tensor quantized type, found tensor<2xi1>}}
  %0 = "stablehlo.subtract"(%a, %a) : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  // expected-error @+1 {{'stablehlo.negate' op operand must be tensor of integer, floating-point, complex or per-tensor quantized type, found tensor<2xi1>}}
  %1 = "stablehlo.negate"(%a) : (tensor<2xi1>) -> tensor<2xi1>
  return
}

func.func @sign_of_unsigned(%a: tensor<2xui8>) {
  // expected-error @+1 {{'stablehlo.sign' op operand must be tensor of signed integer, floating-point, complex or per-tensor quantized type, found tensor<2xui8>}}
  %0 = "stablehlo.sign"(%a) : (tensor<2xui8>) -> tensor<2xui8>
  return
}

func.func @element_types(%a: tensor<2xi7>, %b: tensor<2xf80>, %c: tensor<2xindex>, %d: tensor<2xcomplex<f16>>, %e: tensor<*xf32>) {
  // expected-error @+1 {{'stablehlo.add' op lhs must be tensor of boolean, integer (2 to 64 bits), floating-point, complex or quantized type, found tensor<2xi7>}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xi7>, tensor<2xi7>) -> tensor<2xi7>
  // expected-error @+1 {{'stablehlo.add' op lhs must be tensor of boolean, integer (2 to 64 bits), floating-point, complex or quantized type, found tensor<2xf80>}}
  %1 = "stablehlo.add"(%b, %b) : (tensor<2xf80>, tensor<2xf80>) -> tensor<2xf80>
  // expected-error @+1 {{'stablehlo.add' op lhs must be tensor of boolean, integer (2 to 64 bits), floating-point, complex or quantized type, found tensor<2xindex>}}
  %2 = "stablehlo.add"(%c, %c) : (tensor<2xindex>, tensor<2xindex>) -> tensor<2xindex>
  // expected-error @+1 {{'stablehlo.add' op lhs must be tensor of boolean, integer (2 to 64 bits), floating-point, complex or quantized type, found tensor<2xcomplex<f16>>}}
  %3 = "stablehlo.add"(%d, %d) : (tensor<2xcomplex<f16>>, tensor<2xcomplex<f16>>) -> tensor<2xcomplex<f16>>
  // expected-error @+1 {{'stablehlo.add' op lhs must be tensor of boolean, integer (2 to 64 bits), floating-point, complex or quantized type, found tensor<*xf32>}}
  %4 = "stablehlo.add"(%e, %e) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

func.func @legal(%a: tensor<0xf32>, %b: tensor<i1>, %c: tensor<2xcomplex<f64>>, %d: tensor<3xf8E4M3FN>, %e: tensor<2xui4>) {
  %0 = "stablehlo.add"(%a, %a) : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %1 = "stablehlo.multiply"(%b, %b) : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %2 = "stablehlo.tanh"(%c) : (tensor<2xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  %3 = "stablehlo.ceil"(%d) : (tensor<3xf8E4M3FN>) -> tensor<3xf8E4M3FN>
  %4 = "stablehlo.not"(%e) : (tensor<2xui4>) -> tensor<2xui4>
  return
}

func.func @legal_dynamic(%a: tensor<?x2xf32>, %b: tensor<3x?xf32>, %c: tensor<?x?xf32>) {
  %0 = "stablehlo.add"(%a, %b) : (tensor<?x2xf32>, tensor<3x?xf32>) -> tensor<3x2xf32>
  %1 = "stablehlo.add"(%a, %c) : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = "stablehlo.exponential"(%a) : (tensor<?x2xf32>) -> tensor<5x2xf32>
  return
}

func.func @dynamic_c1(%a: tensor<?x2xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'stablehlo.add' op C1: lhs and rhs must have one type, found tensor<?x2xf32> and tensor<3x4xf32>}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<?x2xf32>, tensor<3x4xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{'stablehlo.exponential' op C1: result must have type tensor<?x2xf32>, found tensor<5x3xf32>}}
  %1 = "stablehlo.exponential"(%a) : (tensor<?x2xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @add_c3_range_of_the_result(%arg0: tensor<2x!quant.uniform<i8<-100:100>:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{result must have type tensor<2x!quant.uniform<i8<-100:100>:f32, 1.000000e+00>> (its scales and zero points may be others), found}}
  %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<2x!quant.uniform<i8<-100:100>:f32, 1.0>>, tensor<2x!quant.uniform<i8<-100:100>:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
}
