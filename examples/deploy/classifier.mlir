// A convolutional classifier of pictures of 32x32 pixels: is it mostly red, green or blue? Its weights average each colour and compare.
func.func public @classify(%pixels: tensor<32x32x3xui8>) -> (tensor<3xf32>, tensor<i32>) {
  %scale = stablehlo.constant dense<0.00392156863> : tensor<1x32x32x3xf32>
  %kernel = stablehlo.constant dense<"0x398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D398EE33D000000000000000000000000398EE33D000000000000000000000000398EE33D"> : tensor<3x3x3x3xf32>
  %weights = stablehlo.constant dense<[[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]]> : tensor<3x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convert %pixels : (tensor<32x32x3xui8>) -> tensor<32x32x3xf32>
  %1 = stablehlo.reshape %0 : (tensor<32x32x3xf32>) -> tensor<1x32x32x3xf32>
  %2 = stablehlo.multiply %1, %scale : tensor<1x32x32x3xf32>
  %3 = stablehlo.convolution(%2, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x32x32x3xf32>, tensor<3x3x3x3xf32>) -> tensor<1x16x16x3xf32>
  %flat = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<1x16x16x3xf32>
  %4 = stablehlo.maximum %3, %flat : tensor<1x16x16x3xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x16x16x3xf32>, tensor<f32>) -> tensor<3xf32>
  %count = stablehlo.constant dense<3.906250e-03> : tensor<3xf32>
  %6 = stablehlo.multiply %5, %count : tensor<3xf32>
  %scores = stablehlo.dot_general %6, %weights, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  %numbers = stablehlo.iota dim = 0 : tensor<3xi32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %best:2 = stablehlo.reduce(%scores init: %least), (%numbers init: %none) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %more = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %more, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  return %scores, %best#1 : tensor<3xf32>, tensor<i32>
}
