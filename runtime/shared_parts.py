"""The function that runs the parts of a kernel on all threads of the OpenMP runtime (`share-parts` writes its calls).

Words at `work`: a function of a part's number and `work`, the number of parts, what else the function reads. Thread t of n runs
the parts from t * count / n on: the same ones every time, so that caches keep what a thread has made."""

from __future__ import annotations

SHARE = "hlo_share"

TEXT = """
llvm.mlir.global private constant @hlo_share_name(";unknown;unknown;0;0;;\\00") {addr_space = 0 : i32}
llvm.mlir.global private constant @hlo_share_place() : !llvm.struct<(i32, i32, i32, i32, ptr)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i32, i32, i32, i32, ptr)>
  %zero = llvm.mlir.constant(0 : i32) : i32
  %kind = llvm.mlir.constant(2 : i32) : i32
  %length = llvm.mlir.constant(22 : i32) : i32
  %name = llvm.mlir.addressof @hlo_share_name : !llvm.ptr
  %1 = llvm.insertvalue %zero, %0[0] : !llvm.struct<(i32, i32, i32, i32, ptr)>
  %2 = llvm.insertvalue %kind, %1[1] : !llvm.struct<(i32, i32, i32, i32, ptr)>
  %3 = llvm.insertvalue %zero, %2[2] : !llvm.struct<(i32, i32, i32, i32, ptr)>
  %4 = llvm.insertvalue %length, %3[3] : !llvm.struct<(i32, i32, i32, i32, ptr)>
  %5 = llvm.insertvalue %name, %4[4] : !llvm.struct<(i32, i32, i32, i32, ptr)>
  llvm.return %5 : !llvm.struct<(i32, i32, i32, i32, ptr)>
}
llvm.func @__kmpc_fork_call(!llvm.ptr, i32, !llvm.ptr, ...)
llvm.func @omp_get_thread_num() -> i32
llvm.func @omp_get_num_threads() -> i32
llvm.func @hlo_share(%work: !llvm.ptr) {
  %place = llvm.mlir.addressof @hlo_share_place : !llvm.ptr
  %one = llvm.mlir.constant(1 : i32) : i32
  %thread = llvm.mlir.addressof @hlo_share_thread : !llvm.ptr
  llvm.call @__kmpc_fork_call(%place, %one, %thread, %work) vararg(!llvm.func<void (ptr, i32, ptr, ...)>)
    : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}
llvm.func internal @hlo_share_thread(%number: !llvm.ptr, %bound: !llvm.ptr, %work: !llvm.ptr) {
  %function = llvm.load %work : !llvm.ptr -> !llvm.ptr
  %second = llvm.getelementptr %work[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %second : !llvm.ptr -> i64
  %short = llvm.call @omp_get_thread_num() : () -> i32
  %shorts = llvm.call @omp_get_num_threads() : () -> i32
  %thread = llvm.zext %short : i32 to i64
  %threads = llvm.zext %shorts : i32 to i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %next = llvm.add %thread, %one : i64
  %before = llvm.mul %thread, %count : i64
  %after = llvm.mul %next, %count : i64
  %first = llvm.udiv %before, %threads : i64
  %end = llvm.udiv %after, %threads : i64
  llvm.br ^turn(%first : i64)
^turn(%part: i64):
  %more = llvm.icmp "ult" %part, %end : i64
  llvm.cond_br %more, ^run, ^done
^run:
  llvm.call %function(%part, %work) : !llvm.ptr, (i64, !llvm.ptr) -> ()
  %following = llvm.add %part, %one : i64
  llvm.br ^turn(%following : i64)
^done:
  llvm.return
}
"""
