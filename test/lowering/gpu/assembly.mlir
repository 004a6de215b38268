// A pad is one launch: each thread writes 16 bytes, of the input or of the padding value; no element is written twice.
// RUN: hlo-opt %s --target=gpu --compile-to=device | FileCheck %s
// RUN: hlo-opt %s --target=gpu --compile-to=memory --remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: @{{.*}}: a thread for 8 neighbours of 64x3x128, which 2 ops write parts of; 12 blocks of 256 threads
// REMARK-NOT: remark

// CHECK: gpu.func @{{.*}}(%[[R:.*]]: memref<64x3x128xbf16>, %[[X:.*]]: memref<64x1x128xbf16>) kernel
// CHECK:   %[[IN:.*]] = arith.cmpi uge, %{{.*}}, %c2
// CHECK:   scf.if %[[IN]] {
// CHECK:     vector.load %[[X]]{{.*}} {alignment = 16 : i64} : memref<64x1x128xbf16>, vector<8xbf16>
// CHECK:     vector.store {{.*}} {alignment = 16 : i64} : memref<{{.*}}strided{{.*}}>, vector<8xbf16>
// CHECK:   } else {
// CHECK:     vector.store {{.*}}, %[[R]]{{.*}} {alignment = 16 : i64} : memref<64x3x128xbf16>, vector<8xbf16>
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func
func.func @main(%x: tensor<64x1x128xbf16>) -> tensor<64x3x128xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %r = stablehlo.pad %x, %zero, low = [0, 2, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<64x1x128xbf16>, tensor<bf16>) -> tensor<64x3x128xbf16>
  return %r : tensor<64x3x128xbf16>
}
