// Ops compute what slices read.
// RUN: hlo-opt %s --narrow-results | FileCheck %s

// What lies between goes along: broadcasts, elementwise ops, transposes, unit dimensions.
// CHECK-LABEL: func.func @last_row
// CHECK-DAG:     %[[X:.*]] = stablehlo.slice %arg0 [6:7, 0:8] : (tensor<7x8xf32>) -> tensor<1x8xf32>
// CHECK:         %[[D:.*]] = stablehlo.dot_general %[[X]], %arg1, contracting_dims = [1] x [0] : (tensor<1x8xf32>, tensor<8x5xf32>) -> tensor<1x5xf32>
// CHECK:         %[[B:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
// CHECK:         %[[S:.*]] = stablehlo.add %[[D]], %[[B]] : tensor<1x5xf32>
// CHECK:         %[[T:.*]] = stablehlo.transpose %[[S]], dims = [1, 0] : (tensor<1x5xf32>) -> tensor<5x1xf32>
// CHECK:         %[[R:.*]] = stablehlo.reshape %[[T]] : (tensor<5x1xf32>) -> tensor<5x1x1xf32>
// CHECK-NEXT:    return %[[R]]
func.func @last_row(%x: tensor<7x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>) -> tensor<5x1x1xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x8xf32>, tensor<8x5xf32>) -> tensor<7x5xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xf32>) -> tensor<7x5xf32>
  %2 = stablehlo.add %0, %1 : tensor<7x5xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<7x5xf32>) -> tensor<5x7xf32>
  %4 = stablehlo.reshape %3 : (tensor<5x7xf32>) -> tensor<5x1x7xf32>
  %5 = stablehlo.slice %4 [0:5, 0:1, 6:7] : (tensor<5x1x7xf32>) -> tensor<5x1x1xf32>
  return %5 : tensor<5x1x1xf32>
}

// Of several slices, the box around all; with batches and both operands.
// CHECK-LABEL: func.func @box
// CHECK-DAG:     %[[X:.*]] = stablehlo.slice %arg0 [1:2, 2:5, 0:8]
// CHECK-DAG:     %[[Y:.*]] = stablehlo.slice %arg1 [1:2, 0:8, 3:7]
// CHECK:         %[[D:.*]] = stablehlo.dot_general %[[X]], %[[Y]], batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x3x8xf32>, tensor<1x8x4xf32>) -> tensor<1x3x4xf32>
// CHECK-DAG:     %[[A:.*]] = stablehlo.slice %[[D]] [0:1, 0:1, 0:4]
// CHECK-DAG:     %[[B0:.*]] = stablehlo.slice %[[D]] [0:1, 2:3, 1:4]
// CHECK-DAG:     %[[B:.*]] = stablehlo.slice %[[B0]] [0:1, 0:1, 0:3:2] : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
// CHECK:         return %[[A]], %[[B]]
func.func @box(%x: tensor<4x6x8xf32>, %y: tensor<4x8x9xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x2xf32>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x6x8xf32>, tensor<4x8x9xf32>) -> tensor<4x6x9xf32>
  %1 = stablehlo.slice %0 [1:2, 2:3, 3:7] : (tensor<4x6x9xf32>) -> tensor<1x1x4xf32>
  %2 = stablehlo.slice %0 [1:2, 4:5, 4:7:2] : (tensor<4x6x9xf32>) -> tensor<1x1x2xf32>
  return %1, %2 : tensor<1x1x4xf32>, tensor<1x1x2xf32>
}

// CHECK-LABEL: func.func @reduction
// CHECK:         %[[X:.*]] = stablehlo.slice %arg0 [0:20, 0:2]
// CHECK:         stablehlo.reduce(%[[X]] init: %arg1) {{.*}} : (tensor<20x2xf32>, tensor<f32>) -> tensor<2xf32>
func.func @reduction(%x: tensor<20x9xf32>, %zero: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<20x9xf32>, tensor<f32>) -> tensor<9xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<9xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// More than half is read; something else reads all; an op inside of another reads all; nothing is contracted.
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     tensor<1x5xf32>
// CHECK:         stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<7x8xf32>, tensor<8x5xf32>) -> tensor<7x5xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<7x5xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<7x5xf32>
func.func @kept(%x: tensor<7x8xf32>, %w: tensor<8x5xf32>, %p: tensor<i1>) -> (tensor<4x5xf32>, tensor<3x5xf32>, tensor<7x5xf32>, tensor<3x5xf32>, tensor<7x5xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x8xf32>, tensor<8x5xf32>) -> tensor<7x5xf32>
  %1 = stablehlo.slice %0 [0:4, 0:5] : (tensor<7x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x8xf32>, tensor<8x5xf32>) -> tensor<7x5xf32>
  %3 = stablehlo.slice %2 [0:3, 0:5] : (tensor<7x5xf32>) -> tensor<3x5xf32>
  %4 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x8xf32>, tensor<8x5xf32>) -> tensor<7x5xf32>
  %5 = stablehlo.slice %4 [0:3, 0:5] : (tensor<7x5xf32>) -> tensor<3x5xf32>
  %6 = "stablehlo.if"(%p) ({
    stablehlo.return %4 : tensor<7x5xf32>
  }, {
    stablehlo.return %2 : tensor<7x5xf32>
  }) : (tensor<i1>) -> tensor<7x5xf32>
  return %1, %3, %2, %5, %6 : tensor<4x5xf32>, tensor<3x5xf32>, tensor<7x5xf32>, tensor<3x5xf32>, tensor<7x5xf32>
}

// CHECK-LABEL: func.func @elementwise
// CHECK:         stablehlo.sine %arg0 : tensor<9xf32>
func.func @elementwise(%x: tensor<9xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sine %x : tensor<9xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<9xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// A reshape that joins dimensions is read whole where not all of them are.
// CHECK-LABEL: func.func @joined
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<6x5xf32>
// CHECK:         stablehlo.reshape {{.*}} -> tensor<30xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<6x1xf32>
// CHECK:         stablehlo.reshape {{.*}} -> tensor<2x3x1xf32>
func.func @joined(%x: tensor<6x8xf32>, %w: tensor<8x5xf32>) -> (tensor<7xf32>, tensor<2x3x1xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x5xf32>) -> tensor<6x5xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x5xf32>) -> tensor<30xf32>
  %2 = stablehlo.slice %1 [3:10] : (tensor<30xf32>) -> tensor<7xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x5xf32>) -> tensor<6x5xf32>
  %4 = stablehlo.reshape %3 : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %5 = stablehlo.slice %4 [0:2, 0:3, 4:5] : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  return %2, %5 : tensor<7xf32>, tensor<2x3x1xf32>
}

// Sizes that are not known, or zero, are left alone.
// CHECK-LABEL: func.func @dynamic
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<?x5xf32>
// CHECK:         stablehlo.dot_general {{.*}} -> tensor<7x5xf32>
func.func @dynamic(%x: tensor<?x8xf32>, %y: tensor<7x0xf32>, %w: tensor<8x5xf32>, %v: tensor<0x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x5xf32>) -> tensor<?x5xf32>
  %1 = stablehlo.slice %0 [0:1, 0:5] : (tensor<?x5xf32>) -> tensor<1x5xf32>
  %2 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<7x0xf32>, tensor<0x5xf32>) -> tensor<7x5xf32>
  %3 = stablehlo.slice %2 [0:1, 0:5] : (tensor<7x5xf32>) -> tensor<1x5xf32>
  return %1, %3 : tensor<1x5xf32>, tensor<1x5xf32>
}
