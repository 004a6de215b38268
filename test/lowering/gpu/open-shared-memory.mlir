// Dynamic shared memory is as large as the launch says: external, not a static array of a byte.
// RUN: hlo-opt %s --open-shared-memory | FileCheck %s

gpu.module @gpu {
  // CHECK: llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.mlir.global internal @table() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i8>
  llvm.mlir.global internal @table() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i8>
}
