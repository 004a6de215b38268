// RUN: hlo-opt %s --call-programs --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func public @main
// CHECK: %[[DATA:.*]] = call @data() : () -> tensor<2xf32>
// CHECK: stablehlo.custom_call @interpreter.feed(%[[DATA]])
// CHECK-SAME: has_side_effect = true
// CHECK: call @program(%{{.*}}) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
func.func public @main() -> tensor<2xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %0:2 = "interpreter.run_parallel"(%token) {infeed = [@data], programs = [[@program]]} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

func.func private @data() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func private @program(%token: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<2xf32>, !stablehlo.token
}

// -----

func.func public @main() {
  // expected-error@+1 {{'interpreter.run_parallel' of several processes runs on targets cpu and reference, found (('a', 'b'),)}}
  "interpreter.run_parallel"() {programs = [[@a, @b]]} : () -> ()
  return
}

func.func private @a() {
  return
}

func.func private @b() {
  return
}
