// RUN: hlo-opt %s --halve-byte-shuffles="target=avx512" | FileCheck %s
// RUN: hlo-opt %s --halve-byte-shuffles="target=avx2" | FileCheck %s --check-prefix=NARROW

// 64 bytes of one vector: the upper half of them comes from a copy that LLVM cannot tell from another vector.
// CHECK-LABEL: llvm.func @twice
// CHECK: %[[WORDS:.*]] = llvm.bitcast %arg0 : vector<64xi8> to vector<16xf32>
// CHECK: %[[FENCED:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence.v16f32"(%[[WORDS]])
// CHECK: %[[COPY:.*]] = llvm.bitcast %[[FENCED]] : vector<16xf32> to vector<64xi8>
// CHECK: llvm.shufflevector %arg0, %[[COPY]] [0, 0, 1, 1, {{.*}} 15, 15, 80, 80, {{.*}} 95, 95] : vector<64xi8>
// NARROW-LABEL: llvm.func @twice
// NARROW-NOT: fence
llvm.func @twice(%x: vector<64xi8>) -> vector<64xi8> {
  %0 = llvm.shufflevector %x, %x [0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 8, 72, 9, 73, 10, 74, 11, 75, 12, 76, 13, 77, 14, 78, 15, 79, 16, 80, 17, 81, 18, 82, 19, 83, 20, 84, 21, 85, 22, 86, 23, 87, 24, 88, 25, 89, 26, 90, 27, 91, 28, 92, 29, 93, 30, 94, 31, 95] : vector<64xi8>
  llvm.return %0 : vector<64xi8>
}

// Of those lanes that count, half; the second operand is the vector.
// CHECK-LABEL: llvm.func @few
// CHECK: llvm.shufflevector %arg1, %{{.*}} [9, 7, 69, 67, -1, {{.*}} -1] : vector<64xi8>
llvm.func @few(%x: vector<64xi8>, %y: vector<64xi8>) -> vector<64xi8> {
  %0 = llvm.shufflevector %x, %y [73, 71, 69, 67, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1] : vector<64xi8>
  llvm.return %0 : vector<64xi8>
}

// Booleans become bytes; a short vector fills a register.
// CHECK-LABEL: llvm.func @booleans
// CHECK: %[[BYTES:.*]] = llvm.zext %arg0 : vector<4xi1> to vector<4xi8>
// CHECK: %[[REGISTER:.*]] = llvm.shufflevector %[[BYTES]], %[[BYTES]] [0, 1, 2, 3, -1, {{.*}} -1] : vector<4xi8>
// CHECK: %[[PICKED:.*]] = llvm.shufflevector %[[REGISTER]], %{{.*}} [3, 2, {{.*}} 65, 64] : vector<64xi8>
// CHECK: %[[ZERO:.*]] = llvm.mlir.zero : vector<64xi8>
// CHECK: llvm.icmp "ne" %[[PICKED]], %[[ZERO]] : vector<64xi8>
llvm.func @booleans(%x: vector<4xi1>) -> vector<64xi1> {
  %0 = llvm.shufflevector %x, %x [3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0] : vector<4xi1>
  llvm.return %0 : vector<64xi1>
}

// Others stay: two sources, copies of lane 0, other sizes.
// CHECK-LABEL: llvm.func @others
// CHECK-NOT: fence
llvm.func @others(%x: vector<64xi8>, %y: vector<64xi8>, %z: vector<32xi16>) -> vector<32xi16> {
  %0 = llvm.shufflevector %x, %y [0, 64, 1, 65, 2, 66, 3, 67, 4, 68, 5, 69, 6, 70, 7, 71, 8, 72, 9, 73, 10, 74, 11, 75, 12, 76, 13, 77, 14, 78, 15, 79, 16, 80, 17, 81, 18, 82, 19, 83, 20, 84, 21, 85, 22, 86, 23, 87, 24, 88, 25, 89, 26, 90, 27, 91, 28, 92, 29, 93, 30, 94, 31, 95] : vector<64xi8>
  %1 = llvm.shufflevector %x, %x [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<64xi8>
  %2 = llvm.shufflevector %z, %z [31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0] : vector<32xi16>
  llvm.return %z : vector<32xi16>
}
