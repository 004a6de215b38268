// Dynamic shared memory is as large as the launch says: external, not a static array of a byte.
// The last arguments of a kernel, as many as hlo.tensor_maps tells, are 128 bytes each.
// RUN: hlo-opt %s --complete-nvvm | FileCheck %s

gpu.module @gpu {
  // CHECK: llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.mlir.global internal @table() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i8>
  llvm.mlir.global internal @table() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x i8>
  // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {nvvm.kernel}
  llvm.func @k(%a: !llvm.ptr, %map: !llvm.ptr) attributes {hlo.tensor_maps = 1 : i32, nvvm.kernel} {
    llvm.return
  }
  // CHECK: llvm.func @other(%{{.*}}: !llvm.ptr) attributes {nvvm.kernel}
  llvm.func @other(%a: !llvm.ptr) attributes {nvvm.kernel} {
    llvm.return
  }
}
