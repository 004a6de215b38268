// The last arguments of a kernel, as many as hlo.tensor_maps tells, are 128 bytes each.
// RUN: hlo-opt %s --pass-tensor-maps | FileCheck %s

gpu.module @gpu {
  // CHECK: llvm.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {nvvm.kernel}
  llvm.func @k(%a: !llvm.ptr, %map: !llvm.ptr) attributes {hlo.tensor_maps = 1 : i32, nvvm.kernel} {
    llvm.return
  }
  // CHECK: llvm.func @other(%{{.*}}: !llvm.ptr) attributes {nvvm.kernel}
  llvm.func @other(%a: !llvm.ptr) attributes {nvvm.kernel} {
    llvm.return
  }
}
