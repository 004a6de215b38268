// RUN: hlo-opt %s --stablehlo-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: call @sort_0
// CHECK: func.func private @sort_0(%{{.*}}: tensor<100xf32> {hlo.tied = 0 : i64}) -> tensor<100xf32>
// CHECK-SAME: hlo.kernel = "loops"
func.func @main(%a: tensor<100xf32>) -> tensor<100xf32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<100xf32>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// Nothing to sort.
// CHECK-LABEL: func.func @single
// CHECK-NOT: call
// CHECK: return %arg0
func.func @single(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// Many lines are sorted in vectors across them, by one call where a key has a name; bits of elements are sorted in place.
// CHECK-LABEL: func.func @lines
// CHECK: call @sort_{{[0-9]}}({{.*}}, %arg0) : (tensor<32x20xi16>, tensor<32x20xi16>) -> tensor<32x20xi16>
// CHECK-NEXT: return
// CHECK: library_call = "hlo_routine_rows_i16sa_i16"{{.*}} outs(%{{.*}} : tensor<32x20xi16>, tensor<{{[0-9]+}}xi16>)
func.func @lines(%a: tensor<32x20xi16>) -> tensor<32x20xi16> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<i16>, %y: tensor<i16>):
    %1 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<32x20xi16>) -> tensor<32x20xi16>
  return %0 : tensor<32x20xi16>
}

// Beside another operand: words of the key and the index, of which elements and indices are made. Only the other one's elements are looked up.
// CHECK-LABEL: func.func @pairs
// CHECK: call @sort_{{[0-9]}}({{.*}}, %arg0) : (tensor<32x20xi16>, tensor<32x20xi32>, tensor<32x20xi16>) -> (tensor<32x20xi16>, tensor<32x20xi32>)
// CHECK-NOT: tensor.extract %arg0
// CHECK: tensor.extract %arg1[{{.*}}] : tensor<32x20xf32>
// CHECK: library_call = "hlo_routine_rows_i16sa_i32_e_p32"
func.func @pairs(%a: tensor<32x20xi16>, %b: tensor<32x20xf32>) -> (tensor<32x20xi16>, tensor<32x20xf32>) {
  %0:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%x: tensor<i16>, %y: tensor<i16>, %v: tensor<f32>, %w: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<32x20xi16>, tensor<32x20xf32>) -> (tensor<32x20xi16>, tensor<32x20xf32>)
  return %0#0, %0#1 : tensor<32x20xi16>, tensor<32x20xf32>
}

// Fewer lines than a vector has lanes are sorted so, too, with others behind them.
// CHECK-LABEL: func.func @one_zero
// CHECK: tensor.insert_slice %arg0 into {{.*}} : tensor<12x20xf32> into tensor<16x20xf32>
// CHECK: call @sort_{{[0-9]}}({{.*}}) : (tensor<16x20xf32>, tensor<16x20xf32>) -> tensor<16x20xf32>
// CHECK: library_call = "hlo_routine_rows_f32za_i32"
func.func @one_zero(%a: tensor<12x20xf32>) -> tensor<12x20xf32> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<12x20xf32>) -> tensor<12x20xf32>
  return %0 : tensor<12x20xf32>
}

// Lines that lie side by side are vectors as they are.
// CHECK-LABEL: func.func @beside
// CHECK: call @sort_{{[0-9]}}({{.*}}, %arg0) : (tensor<3x20x32xi16>, tensor<3x20x32xi16>) -> tensor<3x20x32xi16>
// CHECK-NEXT: return
// CHECK: library_call = "hlo_routine_beside_i16sa_i16"
func.func @beside(%a: tensor<3x20x32xi16>) -> tensor<3x20x32xi16> {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<i16>, %y: tensor<i16>):
    %1 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x20x32xi16>) -> tensor<3x20x32xi16>
  return %0 : tensor<3x20x32xi16>
}
