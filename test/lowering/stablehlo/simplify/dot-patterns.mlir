// Contractions over one element are products of broadcasts, over two or three sums of such.
// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: func.func @outer
// CHECK-DAG:     %[[A:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x5xi32>
// CHECK-DAG:     %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<1x5xi32>) -> tensor<4x5xi32>
// CHECK:         %[[R:.*]] = stablehlo.multiply %[[A]], %[[B]]
// CHECK-NEXT:    return %[[R]]
func.func @outer(%x: tensor<4x1xi32>, %y: tensor<1x5xi32>) -> tensor<4x5xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x1xi32>, tensor<1x5xi32>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

// Nothing is contracted; the sum of one product of floats begins at 0, so that -0 is 0.
// CHECK-LABEL: func.func @batches
// CHECK-DAG:     stablehlo.broadcast_in_dim %arg0, dims = [1, 0] : (tensor<2x3xbf16>) -> tensor<3x2x4xbf16>
// CHECK-DAG:     stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<3x4xbf16>) -> tensor<3x2x4xbf16>
// CHECK:         %[[P:.*]] = stablehlo.multiply
// CHECK:         stablehlo.add %[[P]], %{{.*}}
func.func @batches(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) -> tensor<3x2x4xbf16> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [] x [] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<3x2x4xbf16>
  return %0 : tensor<3x2x4xbf16>
}

// Products of narrow elements are made in the result's type, if that holds them.
// CHECK-LABEL: func.func @wider
// CHECK:         stablehlo.convert %arg0 : (tensor<4x1xi8>) -> tensor<4x1xi32>
// CHECK-NOT:     dot_general
// CHECK:         return
func.func @wider(%x: tensor<4x1xi8>, %y: tensor<1x5xi8>) -> tensor<4x5xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x1xi8>, tensor<1x5xi8>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

// Sums of two halves are made in f32. The first begins at 0.
// CHECK-LABEL: func.func @two
// CHECK-NOT:     dot_general
// CHECK:         stablehlo.slice %arg0 [0:20, 0:1] : (tensor<20x2xf16>) -> tensor<20x1xf16>
// CHECK:         %[[P:.*]] = stablehlo.multiply {{.*}} : tensor<20x30xf32>
// CHECK:         stablehlo.slice %arg1 [1:2, 0:30] : (tensor<2x30xf16>) -> tensor<1x30xf16>
// CHECK:         %[[Q:.*]] = stablehlo.multiply {{.*}} : tensor<20x30xf32>
// CHECK-NEXT:    %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT:    %[[FIRST:.*]] = stablehlo.add %[[P]], %[[ZERO]]
// CHECK-NEXT:    %[[SUM:.*]] = stablehlo.add %[[FIRST]], %[[Q]]
// CHECK-NEXT:    stablehlo.convert %[[SUM]] : (tensor<20x30xf32>) -> tensor<20x30xf16>
func.func @two(%x: tensor<20x2xf16>, %y: tensor<2x30xf16>) -> tensor<20x30xf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<20x2xf16>, tensor<2x30xf16>) -> tensor<20x30xf16>
  return %0 : tensor<20x30xf16>
}

// Short rows, a result that is smaller than an operand, four products: contractions.
// CHECK-LABEL: func.func @several_stay
// CHECK-COUNT-3: stablehlo.dot_general
func.func @several_stay(%x: tensor<20x2xf32>, %y: tensor<2x15xf32>, %z: tensor<2x30xf32>, %v: tensor<1x2xf32>, %a: tensor<20x4xf32>, %b: tensor<4x30xf32>) -> (tensor<20x15xf32>, tensor<1x30xf32>, tensor<20x30xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<20x2xf32>, tensor<2x15xf32>) -> tensor<20x15xf32>
  %1 = stablehlo.dot_general %v, %z, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x30xf32>) -> tensor<1x30xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<20x4xf32>, tensor<4x30xf32>) -> tensor<20x30xf32>
  return %0, %1, %2 : tensor<20x15xf32>, tensor<1x30xf32>, tensor<20x30xf32>
}

// A result that is narrower than its inputs, an algorithm that rounds inputs, more than one element: contractions.
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-3: stablehlo.dot_general
func.func @stay(%x: tensor<4x1xf32>, %y: tensor<1x5xf32>, %z: tensor<4x2xf32>, %w: tensor<2x5xf32>) -> (tensor<4x5xbf16>, tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x1xf32>, tensor<1x5xf32>) -> tensor<4x5xbf16>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x1xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.dot_general %z, %w, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x5xf32>) -> tensor<4x5xf32>
  return %0, %1, %2 : tensor<4x5xbf16>, tensor<4x5xf32>, tensor<4x5xf32>
}
