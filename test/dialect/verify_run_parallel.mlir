// RUN: hlo-opt %s --verify-diagnostics

func.func private @f(%a: tensor<i64>) -> tensor<i64> {
  return %a : tensor<i64>
}

func.func private @pair() -> (tensor<i64>, tensor<i64>) {
  %0 = stablehlo.constant dense<0> : tensor<i64>
  return %0, %0 : tensor<i64>, tensor<i64>
}

func.func private @tensor() -> tensor<i64> {
  %0 = stablehlo.constant dense<0> : tensor<i64>
  return %0 : tensor<i64>
}

func.func @main(%i: tensor<i64>) {
  %0:2 = "interpreter.run_parallel"(%i, %i) {programs = [[@f], [@f]], infeed = [@tensor]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  // expected-error @+1 {{'interpreter.run_parallel' op programs must have a row a replica, each with a function a partition, found none}}
  "interpreter.run_parallel"() {programs = []} : () -> ()
  // expected-error @+1 {{'interpreter.run_parallel' op programs must have a row a replica, each with a function a partition, found []}}
  "interpreter.run_parallel"() {programs = [[]]} : () -> ()
  // expected-error @+1 {{'interpreter.run_parallel' op programs must have a row a replica, each with a function a partition, found [@f], [@f, @f]}}
  %1:3 = "interpreter.run_parallel"(%i, %i, %i) {programs = [[@f], [@f, @f]]} : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>)
  // expected-error @+1 {{'interpreter.run_parallel' op names @bar, which is no function of the program}}
  "interpreter.run_parallel"() {programs = [[@bar]]} : () -> ()
  // expected-error @+1 {{'interpreter.run_parallel' op inputs must be those of all programs, (tensor<i64>), found (tensor<i64>, tensor<i64>)}}
  %2 = "interpreter.run_parallel"(%i, %i) {programs = [[@f]]} : (tensor<i64>, tensor<i64>) -> tensor<i64>
  // expected-error @+1 {{'interpreter.run_parallel' op must have 1 result, found 0}}
  "interpreter.run_parallel"(%i) {programs = [[@f]]} : (tensor<i64>) -> ()
  // expected-error @+1 {{'interpreter.run_parallel' op infeed must name at least one function, found []}}
  %3 = "interpreter.run_parallel"(%i) {programs = [[@f]], infeed = []} : (tensor<i64>) -> tensor<i64>
  // expected-error @+1 {{'interpreter.run_parallel' op names @none, which is no function of the program}}
  %4 = "interpreter.run_parallel"(%i) {programs = [[@f]], infeed = [@none]} : (tensor<i64>) -> tensor<i64>
  // expected-error @+1 {{'interpreter.run_parallel' op infeed function @pair must return one tensor, found (tensor<i64>, tensor<i64>)}}
  %5 = "interpreter.run_parallel"(%i) {programs = [[@f]], infeed = [@pair]} : (tensor<i64>) -> tensor<i64>
  // expected-error @+1 {{'interpreter.run_parallel' op functions of infeed must have no arguments, found @f}}
  %6 = "interpreter.run_parallel"(%i) {programs = [[@f]], infeed = [@f]} : (tensor<i64>) -> tensor<i64>
  return
}
