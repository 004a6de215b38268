// Ops inside of regions use what is made before them. MLIR itself takes any order there.
// RUN: hlo-opt %s --split-input-file --verify-diagnostics

func.func @accepted(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %n = stablehlo.negate %z : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %n : tensor<f32>
    %p = stablehlo.constant dense<true> : tensor<i1>
    %c = "stablehlo.if"(%p) ({
      %t = stablehlo.add %s, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }, {
      stablehlo.return %s : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @of_itself(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@+1 {{'stablehlo.add' op operand 0 is used before it is made}}
    %s = stablehlo.add %s, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @of_a_later_one(%x: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    // expected-error@+1 {{'stablehlo.compare' op operand 1 is used before it is made}}
    %c = stablehlo.compare LT, %a, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.add %n, %n : tensor<i32>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @inside_of_a_region_that_is_before_it(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.if"(%p) ({
      // expected-error@+1 {{'stablehlo.add' op operand 1 is used before it is made}}
      %2 = stablehlo.add %x, %late : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %late = stablehlo.negate %1 : tensor<f32>
    stablehlo.return %late : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @of_the_op_around_it(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.if"(%p) ({
      // expected-error@+1 {{'stablehlo.return' op operand 0 is used before it is made}}
      stablehlo.return %1 : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @constants_of_a_manual_computation(%x: tensor<4xi32>, %n: tensor<i32>) -> tensor<4xi32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xi32>) {
    %m = stablehlo.constant dense<3> : tensor<i32>
    %1 = "stablehlo.while"(%n) ({
    ^bb0(%b: tensor<i32>):
      %c = stablehlo.compare LT, %b, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%b: tensor<i32>):
      %d = stablehlo.add %b, %m : tensor<i32>
      stablehlo.return %d : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    sdy.return %a : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @in_a_manual_computation(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xf32>) {
    // expected-error@+1 {{'stablehlo.add' op operand 1 is used before it is made}}
    %1 = stablehlo.add %a, %late : tensor<2xf32>
    %late = stablehlo.negate %a : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
