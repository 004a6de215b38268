// Sums of arrays padded with zeros to stand beside each other: the gradient of a split.
// RUN: hlo-opt %s --simplify-algebra --eliminate-dead-code | FileCheck %s

// CHECK-LABEL: func.func @three_parts
// CHECK-DAG:     %[[A:.*]] = stablehlo.add %arg0, %{{.*}} : tensor<2x1xf32>
// CHECK-DAG:     %[[B:.*]] = stablehlo.add %arg1, %{{.*}} : tensor<2x3xf32>
// CHECK-DAG:     %[[C:.*]] = stablehlo.add %arg2, %{{.*}} : tensor<2x2xf32>
// CHECK:         %[[ALL:.*]] = stablehlo.concatenate %[[A]], %[[B]], %[[C]], dim = 1
// CHECK-NEXT:    return %[[ALL]]
func.func @three_parts(%a: tensor<2x1xf32>, %b: tensor<2x3xf32>, %c: tensor<2x2xf32>) -> tensor<2x6xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %c, %zero, low = [0, 4], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x6xf32>
  %1 = stablehlo.pad %b, %zero, low = [0, 1], high = [0, 2], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x6xf32>
  %3 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 5], interior = [0, 0] : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x6xf32>
  %4 = stablehlo.add %2, %3 : tensor<2x6xf32>
  return %4 : tensor<2x6xf32>
}

// Integers are what they are; what is left at the ends stays padded.
// CHECK-LABEL: func.func @of_integers
// CHECK:         %[[BOTH:.*]] = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2xi32>, tensor<3xi32>) -> tensor<5xi32>
// CHECK-NEXT:    stablehlo.pad %[[BOTH]], %{{.*}}, low = [1], high = [2], interior = [0]
func.func @of_integers(%a: tensor<2xi32>, %b: tensor<3xi32>) -> tensor<8xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.pad %a, %zero, low = [1], high = [5], interior = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<8xi32>
  %1 = stablehlo.pad %b, %zero, low = [3], high = [2], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<8xi32>
  %2 = stablehlo.add %0, %1 : tensor<8xi32>
  return %2 : tensor<8xi32>
}

// Parts that meet, padding with -0.0 (which leaves -0.0 as it is), and elements between: all as written.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     stablehlo.concatenate
// CHECK:         return
func.func @others(%a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<4xf32>, tensor<5xf32>, tensor<5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %negative = stablehlo.constant dense<-0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [0], high = [2], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.pad %b, %zero, low = [1], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  %3 = stablehlo.pad %a, %negative, low = [0], high = [3], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  %4 = stablehlo.pad %b, %negative, low = [2], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  %5 = stablehlo.add %3, %4 : tensor<5xf32>
  %6 = stablehlo.pad %a, %zero, low = [0], high = [2], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  %7 = stablehlo.pad %a, %zero, low = [3], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  %8 = stablehlo.add %6, %7 : tensor<5xf32>
  return %2, %5, %8 : tensor<4xf32>, tensor<5xf32>, tensor<5xf32>
}

// An update of zeros at a known place, which is moved inside, is a pad; at one that is not known, or of other numbers, it stays.
// CHECK-LABEL: func.func @updates
// CHECK-DAG:     %[[A:.*]] = stablehlo.add %arg0, %{{.*}} : tensor<1x2xf32>
// CHECK-DAG:     %[[B:.*]] = stablehlo.add %arg1, %{{.*}} : tensor<2x2xf32>
// CHECK:         %[[ALL:.*]] = stablehlo.concatenate %[[A]], %[[B]], dim = 0
// CHECK:         %[[STAYS:.*]] = stablehlo.dynamic_update_slice {{.*}}, %arg0, %arg2
// CHECK:         %[[ONES:.*]] = stablehlo.dynamic_update_slice {{.*}}, %arg0
// CHECK:         return %[[ALL]], %[[STAYS]], %[[ONES]]
func.func @updates(%a: tensor<1x2xf32>, %b: tensor<2x2xf32>, %i: tensor<i32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %far = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %zeros, %a, %first, %first : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %1 = stablehlo.dynamic_update_slice %zeros, %b, %far, %first : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<3x2xf32>
  %3 = stablehlo.dynamic_update_slice %zeros, %a, %i, %first : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %4 = stablehlo.dynamic_update_slice %ones, %a, %first, %first : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  return %2, %3, %4 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// Every second element: columns beside each other; of an odd number the last one is behind them.
// CHECK-LABEL: func.func @by_turns
// CHECK-DAG:     %[[A:.*]] = stablehlo.add %arg0, %{{.*}} : tensor<2x3xf32>
// CHECK-DAG:     %[[B:.*]] = stablehlo.add %arg1, %{{.*}} : tensor<2x3xf32>
// CHECK-DAG:     %[[COLUMN:.*]] = stablehlo.reshape %[[A]] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
// CHECK-DAG:     %[[OTHER:.*]] = stablehlo.reshape %[[B]] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
// CHECK:         %[[PAIRS:.*]] = stablehlo.concatenate %[[COLUMN]], %[[OTHER]], dim = 2
// CHECK:         %[[TURNS:.*]] = stablehlo.reshape %[[PAIRS]] : (tensor<2x3x2xf32>) -> tensor<2x6xf32>
// CHECK:         %[[LAST:.*]] = stablehlo.slice %arg2 [2:3]
// CHECK:         stablehlo.concatenate %{{.*}}, %[[LAST]], dim = 0 : (tensor<4xi32>, tensor<1xi32>) -> tensor<5xi32>
func.func @by_turns(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xi32>, %d: tensor<2xi32>) -> (tensor<2x6xf32>, tensor<5xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.pad %b, %zero, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  %1 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x6xf32>
  %3 = stablehlo.pad %c, %none, low = [0], high = [0], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  %4 = stablehlo.pad %d, %none, low = [1], high = [1], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  %5 = stablehlo.add %3, %4 : tensor<5xi32>
  return %2, %5 : tensor<2x6xf32>, tensor<5xi32>
}

// Elements that meet, or that leave a gap: as written.
// CHECK-LABEL: func.func @not_by_turns
// CHECK-NOT:     stablehlo.concatenate
// CHECK:         return
func.func @not_by_turns(%a: tensor<3xf32>, %b: tensor<2xf32>) -> (tensor<6xf32>, tensor<7xf32>, tensor<7xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [0], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.pad %b, %zero, low = [0], high = [3], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<6xf32>
  %2 = stablehlo.add %0, %1 : tensor<6xf32>
  %3 = stablehlo.pad %a, %zero, low = [0], high = [2], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  %4 = stablehlo.pad %a, %zero, low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  %5 = stablehlo.add %3, %4 : tensor<7xf32>
  %6 = stablehlo.pad %a, %zero, low = [0], high = [0], interior = [2] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  %7 = stablehlo.pad %b, %zero, low = [1], high = [3], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<7xf32>
  %8 = stablehlo.add %6, %7 : tensor<7xf32>
  return %2, %5, %8 : tensor<6xf32>, tensor<7xf32>, tensor<7xf32>
}
