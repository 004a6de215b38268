// One step of a Kalman filter for a position and a velocity, of which the position is measured.
func.func public @step(%state: tensor<2xf32>, %covariance: tensor<2x2xf32>, %measured: tensor<1xf32>) -> (tensor<2xf32>, tensor<2x2xf32>) {
  %f = stablehlo.constant dense<[[1.0, 0.1], [0.0, 1.0]]> : tensor<2x2xf32>
  %q = stablehlo.constant dense<[[1.0e-4, 0.0], [0.0, 1.0e-2]]> : tensor<2x2xf32>
  %r = stablehlo.constant dense<0.25> : tensor<1xf32>
  %x = stablehlo.dot_general %f, %state, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %fp = stablehlo.dot_general %f, %covariance, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %fpf = stablehlo.dot_general %fp, %f, contracting_dims = [1] x [1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %p = stablehlo.add %fpf, %q : tensor<2x2xf32>
  %row = stablehlo.slice %p [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %column = stablehlo.slice %p [0:2, 0:1] : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %corner = stablehlo.slice %p [0:1, 0:1] : (tensor<2x2xf32>) -> tensor<1x1xf32>
  %variance = stablehlo.reshape %corner : (tensor<1x1xf32>) -> tensor<1xf32>
  %s = stablehlo.add %variance, %r : tensor<1xf32>
  %ss = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<1xf32>) -> tensor<2x1xf32>
  %gain = stablehlo.divide %column, %ss : tensor<2x1xf32>
  %position = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %error = stablehlo.subtract %measured, %position : tensor<1xf32>
  %change = stablehlo.dot_general %gain, %error, contracting_dims = [1] x [0] : (tensor<2x1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %new = stablehlo.add %x, %change : tensor<2xf32>
  %taken = stablehlo.dot_general %gain, %row, contracting_dims = [1] x [0] : (tensor<2x1xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %less = stablehlo.subtract %p, %taken : tensor<2x2xf32>
  return %new, %less : tensor<2xf32>, tensor<2x2xf32>
}
