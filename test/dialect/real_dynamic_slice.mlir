// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<4x5xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @c1(%arg0: tensor<4x5xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>) -> tensor<?x?xf64> {
  // expected-error@+1 {{C1: operand and result must have one element type, found f32, f64}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// -----

func.func @c2(%arg0: tensor<4x5xf32>, %arg1: tensor<2xi64>, %arg2: tensor<3xi64>, %arg3: tensor<2xi64>) -> tensor<?x?xf32> {
  // expected-error@+1 {{C2: limit_indices must have size 2 (the rank of operand), found 3}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @c5(%arg0: tensor<4x5xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>) -> tensor<?xf32> {
  // expected-error@+1 {{C5: operand and result must have one rank}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @accepted_constants(%a: tensor<8xf32>) -> tensor<4xf32> {
  %b = stablehlo.constant dense<0> : tensor<1xi32>
  %e = stablehlo.constant dense<7> : tensor<1xi32>
  %s = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %a, %b, %e, %s : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @c3_start(%a: tensor<8xf32>) -> tensor<?xf32> {
  %b = stablehlo.constant dense<-1> : tensor<1xi32>
  %e = stablehlo.constant dense<7> : tensor<1xi32>
  %s = stablehlo.constant dense<2> : tensor<1xi32>
  // expected-error@+1 {{C3, C4: start_indices must be at least 0, found [-1]}}
  %0 = stablehlo.real_dynamic_slice %a, %b, %e, %s : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @c3_limit(%a: tensor<8xf32>) -> tensor<?xf32> {
  %b = stablehlo.constant dense<0> : tensor<1xi32>
  %e = stablehlo.constant dense<9> : tensor<1xi32>
  %s = stablehlo.constant dense<2> : tensor<1xi32>
  // expected-error@+1 {{C3, C4: limit_indices must be at most the sizes of operand, found [9] for tensor<8xf32>}}
  %0 = stablehlo.real_dynamic_slice %a, %b, %e, %s : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @c3_order(%a: tensor<8xf32>) -> tensor<?xf32> {
  %b = stablehlo.constant dense<4> : tensor<1xi32>
  %e = stablehlo.constant dense<3> : tensor<1xi32>
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error@+1 {{C3, C4: start_indices must be at most limit_indices, found [4] and [3]}}
  %0 = stablehlo.real_dynamic_slice %a, %b, %e, %s : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @c4_stride(%a: tensor<8xf32>) -> tensor<?xf32> {
  %b = stablehlo.constant dense<0> : tensor<1xi32>
  %e = stablehlo.constant dense<7> : tensor<1xi32>
  %s = stablehlo.constant dense<0> : tensor<1xi32>
  // expected-error@+1 {{C3, C4: strides must be at least 1, found [0]}}
  %0 = stablehlo.real_dynamic_slice %a, %b, %e, %s : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @c5_constants(%a: tensor<8xf32>) -> tensor<7xf32> {
  %b = stablehlo.constant dense<0> : tensor<1xi32>
  %e = stablehlo.constant dense<2> : tensor<1xi32>
  %s = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error@+1 {{C5: result must have shape [2], found [7]}}
  %0 = stablehlo.real_dynamic_slice %a, %b, %e, %s : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

func.func @places_of_two_types(%arg0: tensor<4xf32>, %arg1: tensor<1xi32>, %arg2: tensor<1xi64>) -> tensor<?xf32> {
  // expected-error@+1 {{start_indices, limit_indices and strides must have one type, found tensor<1xi32>, tensor<1xi32>, tensor<1xi64>}}
  %0 = "stablehlo.real_dynamic_slice"(%arg0, %arg1, %arg1, %arg2) : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
