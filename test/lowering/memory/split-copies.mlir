// RUN: hlo-opt %s --split-copies | FileCheck %s

// Large copies of the host function are one copy a thread; the last part begins where that many elements are left.

// CHECK-LABEL: func.func public @main
// CHECK:         call @hlo_copy_0({{.*}}) : (memref<1001x513xf32>, memref<1001x513xf32>, index) -> ()
// CHECK:         memref.copy %{{.*}} : memref<100xf32> to memref<100xf32>
func.func public @main(%a: memref<1001x513xf32>, %b: memref<1001x513xf32>, %c: memref<100xf32>, %d: memref<100xf32>) {
  memref.copy %a, %b : memref<1001x513xf32> to memref<1001x513xf32>
  memref.copy %c, %d : memref<100xf32> to memref<100xf32>
  return
}

// CHECK-LABEL: func.func private @kernel
// CHECK-NEXT:    memref.copy
func.func private @kernel(%a: memref<1001x513xf32>, %b: memref<1001x513xf32>) {
  memref.copy %a, %b : memref<1001x513xf32> to memref<1001x513xf32>
  return
}

// CHECK:       func.func private @hlo_copy_0({{.*}}) attributes {hlo.part}
// CHECK:         memref.copy %{{.*}} : memref<{{[0-9]+}}xf32, strided<[1], offset: ?>>
