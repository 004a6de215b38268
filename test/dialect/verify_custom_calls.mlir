// RUN: hlo-opt %s --verify-diagnostics
// custom_call: versions, layouts, aliases, buffers.

func.func @versions(%a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.custom_call' op api_version must be in [0, 4], found 7}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = 7 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @values(%a: tensor<2xf32>, %i: i32, %f: !stablehlo.future<tensor<2xf32>>, %t: tuple<tensor<2xf32>, !stablehlo.token>) {
  %0 = "stablehlo.custom_call"(%a, %f, %t) {call_target_name = "f"} : (tensor<2xf32>, !stablehlo.future<tensor<2xf32>>, tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op inputs[0] must be tensor, token, buffer (memref), future or tuple, found i32}}
  %1 = "stablehlo.custom_call"(%i) {call_target_name = "f"} : (i32) -> tensor<2xf32>
  return
}

func.func @layouts(%a: tensor<2x3xf32>, %t: !stablehlo.token, %p: tuple<tensor<2x3xf32>>) {
  %0 = "stablehlo.custom_call"(%a, %t) {call_target_name = "f", operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>, !stablehlo.token) -> tensor<2x3xf32>
  %1 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<2xf32>>
  // expected-error @+1 {{'stablehlo.custom_call' op operand_layouts must have size 1 (one a operand), found 0}}
  %2 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op layout of operand 0 must be a permutation of [0, 1], found dense<1> : tensor<2xindex>}}
  %3 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<1> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op layout of result 0 must be a permutation of [0, 1], found dense<0> : tensor<1xindex>}}
  %4 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op layout of operand 0 must be a permutation of [], found dense<0> : tensor<1xindex>}}
  %5 = "stablehlo.custom_call"(%t) {call_target_name = "f", operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (!stablehlo.token) -> tensor<f32>
  // expected-error @+1 {{'stablehlo.custom_call' op operand 0 must not be a tuple where layouts are given, found tuple<tensor<2x3xf32>>}}
  %6 = "stablehlo.custom_call"(%p) {call_target_name = "f", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tuple<tensor<2x3xf32>>) -> tensor<f32>
  // expected-error @+1 {{attribute 'operand_layouts' must be array of layout (dense<[...]> : tensor<Nxindex>, dimensions from minor to major), found [dense<0> : tensor<1xi64>]}}
  %7 = "stablehlo.custom_call"(%a) {call_target_name = "f", operand_layouts = [dense<0> : tensor<1xi64>], result_layouts = []} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

func.func @aliases(%a: tensor<2xf32>, %p: tuple<tensor<2xf32>, tensor<3xf32>>) {
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  %1:2 = "stablehlo.custom_call"(%a, %p) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = [1]>]} : (tensor<2xf32>, tuple<tensor<2xf32>, tensor<3xf32>>) -> (tensor<2xf32>, tensor<3xf32>)
  // expected-error @+1 {{'stablehlo.custom_call' op operand_index of an alias must be in [0, 1), found 7}}
  %2 = "stablehlo.custom_call"(%a) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 7, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<20xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op an alias must join an operand and an output of one type, found tensor<2xf32> and tensor<20xf32>}}
  %3 = "stablehlo.custom_call"(%a) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<20xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op output_tuple_indices of an alias must lead to a part of a tuple, found [0]}}
  %4 = "stablehlo.custom_call"(%a) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op operand_tuple_indices of an alias must lead to a part of a tuple, found [2]}}
  %5 = "stablehlo.custom_call"(%p) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [2]>]} : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<2xf32>
  return
}

func.func @buffers(%a: tensor<2xf32>, %m: memref<2xf32>, %p: tensor<i1>) {
  %0 = "stablehlo.custom_call"() {call_target_name = "CreateBuffer", api_version = 4 : i32} : () -> memref<2xf32>
  %1 = "stablehlo.custom_call"(%a) {call_target_name = "Pin", api_version = 4 : i32} : (tensor<2xf32>) -> memref<2xf32>
  %2 = "stablehlo.custom_call"(%m) {call_target_name = "Unpin", api_version = 4 : i32} : (memref<2xf32>) -> tensor<2xf32>
  %3 = "stablehlo.custom_call"(%m) {call_target_name = "f", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (memref<2xf32>) -> memref<2xf32>
  %4 = "stablehlo.tuple"(%a, %m) : (tensor<2xf32>, memref<2xf32>) -> tuple<tensor<2xf32>, memref<2xf32>>
  %5 = "stablehlo.get_tuple_element"(%4) {index = 1 : i32} : (tuple<tensor<2xf32>, memref<2xf32>>) -> memref<2xf32>
  %6 = "stablehlo.while"(%m) ({
  ^bb0(%x: memref<2xf32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: memref<2xf32>):
    stablehlo.return %x : memref<2xf32>
  }) : (memref<2xf32>) -> memref<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op operands of @CreateBuffer must be none, found tensor<2xf32>}}
  %7 = "stablehlo.custom_call"(%a) {call_target_name = "CreateBuffer", api_version = 4 : i32} : (tensor<2xf32>) -> memref<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op results of @CreateBuffer must be a buffer (memref), found tensor<2xf32>}}
  %8 = "stablehlo.custom_call"() {call_target_name = "CreateBuffer", api_version = 4 : i32} : () -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op operands of @Pin must be a tensor, found memref<2xf32>}}
  %9 = "stablehlo.custom_call"(%m) {call_target_name = "Pin", api_version = 4 : i32} : (memref<2xf32>) -> memref<2xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op operand and result of @Unpin must have one shape and element type, found memref<2xf32> and tensor<3xf32>}}
  %10 = "stablehlo.custom_call"(%m) {call_target_name = "Unpin", api_version = 4 : i32} : (memref<2xf32>) -> tensor<3xf32>
  // expected-error @+1 {{'stablehlo.custom_call' op a buffer result must be in output_operand_aliases, found none for output []}}
  %11 = "stablehlo.custom_call"(%a) {call_target_name = "f"} : (tensor<2xf32>) -> memref<2xf32>
  // expected-error @+1 {{'stablehlo.add' op lhs must be tensor of}}
  %12 = "stablehlo.add"(%m, %m) : (memref<2xf32>, memref<2xf32>) -> memref<2xf32>
  return
}
