// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%arg0: tensor<2x3xi64>, %arg1: tensor<i64>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>, %arg4: tensor<2xi64>) -> tensor<5x9xi64> {
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xi64>
  return %0 : tensor<5x9xi64>
}

// -----

func.func @c1(%arg0: tensor<2x3xi64>, %arg1: tensor<f32>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>, %arg4: tensor<2xi64>) -> tensor<5x9xi64> {
  // expected-error@+1 {{C1: operand, padding_value and result must have one element type, found i64, f32, i64}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xi64>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x9xi64>
  return %0 : tensor<5x9xi64>
}

// -----

func.func @c2(%arg0: tensor<2x3xi64>, %arg1: tensor<i64>, %arg2: tensor<2xi64>, %arg3: tensor<1xi64>, %arg4: tensor<2xi64>) -> tensor<5x9xi64> {
  // expected-error@+1 {{C2: edge_padding_high must have size 2 (the rank of operand), found 1}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<5x9xi64>
  return %0 : tensor<5x9xi64>
}

// -----

func.func @c4(%arg0: tensor<2x3xi64>, %arg1: tensor<i64>, %arg2: tensor<2xi64>, %arg3: tensor<2xi64>, %arg4: tensor<2xi64>) -> tensor<5xi64> {
  // expected-error@+1 {{C4: operand and result must have one rank}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<2x3xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5xi64>
  return %0 : tensor<5xi64>
}

// -----

func.func @accepted_constants(%a: tensor<4xf32>, %v: tensor<f32>) -> tensor<9xf32> {
  %p = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %p : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @c3(%a: tensor<4xf32>, %v: tensor<f32>) -> tensor<?xf32> {
  %p = stablehlo.constant dense<1> : tensor<1xi32>
  %i = stablehlo.constant dense<-1> : tensor<1xi32>
  // expected-error@+1 {{C3: interior_padding must be at least 0, found [-1]}}
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %i : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @c4_constants(%a: tensor<4xf32>, %v: tensor<f32>) -> tensor<4000xf32> {
  %p = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error@+1 {{C4: result must have shape [9], found [4000]}}
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %p : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4000xf32>
  return %0 : tensor<4000xf32>
}

// -----

func.func @c4_negative_size(%a: tensor<4xf32>, %v: tensor<f32>) -> tensor<?xf32> {
  %p = stablehlo.constant dense<-3> : tensor<1xi32>
  %i = stablehlo.constant dense<0> : tensor<1xi32>
  // expected-error@+1 {{C4: sizes of result must be in}}
  %0 = stablehlo.dynamic_pad %a, %v, %p, %p, %i : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @amounts_of_two_types(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<1xi32>, %arg3: tensor<1xi64>) -> tensor<?xf32> {
  // expected-error@+1 {{edge_padding_low, edge_padding_high and interior_padding must have one type, found tensor<1xi32>, tensor<1xi64>, tensor<1xi32>}}
  %0 = "stablehlo.dynamic_pad"(%arg0, %arg1, %arg2, %arg3, %arg2) : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi64>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
