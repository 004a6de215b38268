// RUN: hlo-opt %s --verify-diagnostics
// custom_call and composite.

func.func @custom_call(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op must have attribute 'call_target_name' (string)}}
  %0 = "stablehlo.custom_call"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op backend_config of api_version 1 must be a string, found {}}}
  %1 = "stablehlo.custom_call"(%a) {call_target_name = "f", backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op backend_config of api_version 4 must be a dictionary, found "x"}}
  %2 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = 4 : i32, backend_config = "x"} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op operand_layouts and result_layouts must both be given or both not, found operand_layouts only}}
  %3 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = 4 : i32, backend_config = {x = 1 : i32}, error_message = "its own attribute"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @square(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.multiply"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @composite(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{'stablehlo.composite' op C1: name must be "namespace.op", found "square"}}
  %0 = "stablehlo.composite"(%a) {name = "square", decomposition = @square} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.composite' op C2, C3: decomposition must be a function of the module, found @cube}}
  %1 = "stablehlo.composite"(%a) {name = "my.square", decomposition = @cube} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.composite' op C2, C3: decomposition @square must have type (tensor<3xf32>) -> (tensor<2xf32>), found (tensor<2xf32>) -> tensor<2xf32>}}
  %2 = "stablehlo.composite"(%b) {name = "my.square", decomposition = @square} : (tensor<3xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.composite' op C4: version must be at least 0, found -1}}
  %3 = "stablehlo.composite"(%a) {name = "my.square", decomposition = @square, version = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.composite"(%a) {name = "my.square", decomposition = @square, composite_attributes = {n = 2 : i64}, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
