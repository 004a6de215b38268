// An update at an index known at run time: a copy of the argument into the result, and the update, by many threads each, which
// compute the index from the program's argument.
// RUN: hlo-opt %s --target=gpu --compile-to=memory | FileCheck %s

// CHECK:       hlo.arena = 0 : i64
// CHECK:       gpu.func @{{.*}}_0(%{{.*}}: memref<2x4096x4x8xbf16>, %{{.*}}: memref<2x4096x4x8xbf16>)
// CHECK:       gpu.func @{{.*}}_1(%{{.*}}: memref<2x1x4x8xf32>, %[[AT:.*]]: memref<i32>, %{{.*}}: memref<2x4096x4x8xbf16>)
// CHECK:       memref.load %[[AT]][] : memref<i32>
// CHECK:       arith.minsi
// CHECK-NOT:   gpu.func
func.func @main(%cache: tensor<2x4096x4x8xbf16>, %new: tensor<2x1x4x8xf32>, %at: tensor<i32>) -> tensor<2x4096x4x8xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %size = stablehlo.constant dense<4096> : tensor<i32>
  %values = stablehlo.convert %new : (tensor<2x1x4x8xf32>) -> tensor<2x1x4x8xbf16>
  %is_negative = stablehlo.compare LT, %at, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %from_end = stablehlo.add %at, %size : tensor<i32>
  %place = stablehlo.select %is_negative, %from_end, %at : tensor<i1>, tensor<i32>
  %0 = stablehlo.dynamic_update_slice %cache, %values, %zero, %place, %zero, %zero : (tensor<2x4096x4x8xbf16>, tensor<2x1x4x8xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4096x4x8xbf16>
  return %0 : tensor<2x4096x4x8xbf16>
}
