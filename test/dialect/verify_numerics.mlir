// RUN: hlo-opt %s --split-input-file --verify-diagnostics
// How exact results must be: result_accuracy and algorithms of dot_general.

func.func @accuracy(%a: tensor<f32>) {
  %0 = "stablehlo.exponential"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.tan"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 4, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{'stablehlo.exponential' op atol, rtol and ulps of result_accuracy must be 0 in mode HIGHEST, found {'atol': 1.0, 'rtol': 0.0, 'ulps': 4}}}
  %2 = "stablehlo.exponential"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 4, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{'stablehlo.log' op atol, rtol and ulps of result_accuracy must be 0 in mode DEFAULT, found {'atol': 0.0, 'rtol': 1.0, 'ulps': 0}}}
  %3 = "stablehlo.log"(%a) {result_accuracy = #stablehlo.result_accuracy<rtol = 1.0, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{'stablehlo.sine' op tolerances of result_accuracy must be at least 0, found atol = -1.0}}
  %4 = "stablehlo.sine"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{'stablehlo.sine' op tolerances of result_accuracy must be at least 0, found ulps = -1}}
  %5 = "stablehlo.sine"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = -1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{'stablehlo.tanh' op mode of result_accuracy must be one of DEFAULT, HIGHEST, TOLERANCE, found BEST}}
  %6 = "stablehlo.tanh"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<BEST>>} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @algorithms(%a: tensor<2x2xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @+1 {{'stablehlo.dot_general' op C22, C23, C24: algorithm must be one that some hardware has (f32 x f32 into f32, 3 times bf16 x bf16, ...), found lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = i8}}
  %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = i8, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @+1 {{lhs_component_count = 3, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = False}}
  %3 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 3, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @+1 {{num_primitive_operations = 1, allow_imprecise_accumulation = True}}
  %4 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
