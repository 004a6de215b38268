// RUN: hlo-opt %s --verify-diagnostics
// Tuples, tokens, and what moves data between program and host.

func.func @tuple(%a: tensor<2xf32>, %t: tuple<tensor<2xf32>, tensor<i32>>) {
  // expected-error @+1 {{'stablehlo.tuple' op C1, C2: result must have type tuple<tensor<2xf32>, tensor<2xf32>>, found tuple<tensor<2xf32>>}}
  %0 = "stablehlo.tuple"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tuple<tensor<2xf32>>
  // expected-error @+1 {{'stablehlo.get_tuple_element' op C1: index must be in [0, 2), found 2}}
  %1 = "stablehlo.get_tuple_element"(%t) {index = 2 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  // expected-error @+1 {{'stablehlo.get_tuple_element' op C2: result must have type tensor<i32>, found tensor<f32>}}
  %2 = "stablehlo.get_tuple_element"(%t) {index = 1 : i32} : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<f32>
  // expected-error @+1 {{'stablehlo.get_tuple_element' op operand must be tuple, found tensor<2xf32>}}
  %3 = "stablehlo.get_tuple_element"(%a) {index = 0 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

func.func @tokens(%a: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @+1 {{'stablehlo.after_all' op inputs[1] must be token, found tensor<2xf32>}}
  %0 = "stablehlo.after_all"(%t, %a) : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
  // expected-error @+1 {{'stablehlo.create_token' op output must be token, found tensor<2xf32>}}
  %1 = "stablehlo.create_token"() : () -> tensor<2xf32>
  return
}

func.func @infeed(%t: !stablehlo.token, %a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.infeed' op C1, C2: the last result must be a token, found tensor<2xf32>}}
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<2xf32>
  // expected-error @+1 {{'stablehlo.infeed' op C1, C2: the last result must be a token, found no results}}
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
  // expected-error @+1 {{'stablehlo.outfeed' op inputs[0] must be tensor of boolean, integer (2 to 64 bits), floating-point, complex or quantized type, found !stablehlo.token}}
  %1 = "stablehlo.outfeed"(%t, %a) : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
  return
}

func.func @channels(%t: !stablehlo.token, %a: tensor<2xf32>) {
  // expected-error @+1 {{'stablehlo.send' op C1: channel_type with is_host_transfer = true must be DEVICE_TO_HOST, found DEVICE_TO_DEVICE}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  // expected-error @+1 {{'stablehlo.recv' op C1: channel_type with is_host_transfer = false must be DEVICE_TO_DEVICE, found HOST_TO_DEVICE}}
  %1:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = false} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  // expected-error @+1 {{'stablehlo.recv' op C2, C3: the last result must be a token, found tensor<2xf32>}}
  %2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> tensor<2xf32>
  %3:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
