// f8 as f32: exponent and mantissa where f32 has them, scaled by the difference of the biases; infinities, NaNs, the sign.
// RUN: hlo-opt %s --expand-small-floats | FileCheck %s

// CHECK-LABEL: func.func @last_exponent_is_special
// CHECK-NOT: extf
// CHECK: %[[SCALE:.*]] = arith.constant 5.19229686E+33 : f32
// CHECK: arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK: arith.constant 124 : i32
// CHECK: arith.cmpi ult
// CHECK: arith.constant 2139095040 : i32
// CHECK: arith.shrui
// CHECK: arith.ori
// CHECK: arith.bitcast {{.*}} : i32 to f32
func.func @last_exponent_is_special(%x: i8) -> f32 {
  %0 = arith.bitcast %x : i8 to f8E5M2
  %1 = arith.extf %0 : f8E5M2 to f32
  return %1 : f32
}

// CHECK-LABEL: func.func @last_code_is_nan
// CHECK-NOT: extf
// CHECK: %[[SCALE:.*]] = arith.constant 1.32922{{.*}}E+36 : f32
// CHECK: arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK: arith.constant 127 : i32
// CHECK: arith.cmpi eq
// CHECK: arith.constant 2143289344 : i32
// CHECK: arith.ori
func.func @last_code_is_nan(%x: i8) -> f32 {
  %0 = arith.bitcast %x : i8 to f8E4M3FN
  %1 = arith.extf %0 : f8E4M3FN to f32
  return %1 : f32
}
