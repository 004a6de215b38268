// RUN: hlo-opt %s --verify-diagnostics
// if, case, while, optimization_barrier.

func.func @if(%p: tensor<i1>, %v: tensor<1xi1>, %a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.if' op pred must be 0-dimensional tensor of boolean type, found tensor<1xi1>}}
  %0 = "stablehlo.if"(%v) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<1xi1>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.if' op C1: true_branch must have no inputs, found (tensor<2xf32>)}}
  %1 = "stablehlo.if"(%p) ({
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.if' op C2: true_branch and false_branch must return the same types, found (tensor<2xf32>) and (tensor<3xf32>)}}
  %2 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<3xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.if' op C3: true_branch must return the result types (tensor<3xf32>), found (tensor<2xf32>)}}
  %3 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.if' op region false_branch must have one block, found 0}}
  %4 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}

func.func @case(%i: tensor<i32>, %u: tensor<ui32>, %a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.case' op C1: must have at least one branch, found 0}}
  %0 = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.case' op C2: branch 1 must have no inputs, found (tensor<2xf32>)}}
  %1 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.case' op C3, C4: branch 1 must return the result types (tensor<2xf32>), found (tensor<3xf32>)}}
  %2 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%b) : (tensor<3xf32>) -> ()
  }) : (tensor<i32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.case' op index must be 0-dimensional tensor of si32 type, found tensor<ui32>}}
  %3 = "stablehlo.case"(%u) ({
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<ui32>) -> tensor<2xf32>
  return
}

func.func @while(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.while' op C1: cond must have type (tensor<2xf32>) -> (tensor<i1>), found (tensor<2xf32>) -> (tensor<2xf32>)}}
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }, {
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.while' op C2: body must have type (tensor<2xf32>) -> (tensor<2xf32>), found (tensor<2xf32>) -> (tensor<3xf32>)}}
  %1 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%b) : (tensor<3xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.while' op C3: result must have type tensor<2xf32>, found tensor<3xf32>}}
  %2 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.while' op C1: cond must have type (tensor<2xf32>) -> (tensor<i1>), found () -> (tensor<i1>)}}
  %3 = "stablehlo.while"(%a) ({
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<2xf32>):
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// Ops inside regions are checked too.
func.func @nested(%p: tensor<i1>, %a: tensor<2xf32>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    // expected-error @+1 {{'stablehlo.not' op must have 1 operand, found 2}}
    %1 = "stablehlo.not"(%p, %p) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "stablehlo.return"(%1) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<2xf32>):
    // expected-error @+1 {{'stablehlo.add' op C1: result must have type tensor<2xf32>, found tensor<2xf64>}}
    %1 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
    "stablehlo.return"(%x) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @optimization_barrier(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.optimization_barrier' op C1, C2: must have 2 results, found 1}}
  %0 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.optimization_barrier' op C1, C2: result 1 must have type tensor<3xf32>, found tensor<2xf32>}}
  %1:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
