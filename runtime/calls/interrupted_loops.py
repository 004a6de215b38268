"""What a program with loops has of its own, so that they can end early (`interrupt-loops` writes their look at the flag).

`hlo_interrupt` points to a record: a flag, and the thread whose loops it ends. It is a record that nobody sets until who loads the
program points it to the process's (`interrupts.py`). `hlo_goes_on` is called when the flag is set."""

from __future__ import annotations

TEXT = """
llvm.mlir.global internal @hlo_nobody() : !llvm.array<2 x i64> {
  %0 = llvm.mlir.zero : !llvm.array<2 x i64>
  llvm.return %0 : !llvm.array<2 x i64>
}
llvm.mlir.global external @hlo_interrupt() : !llvm.ptr {
  %0 = llvm.mlir.addressof @hlo_nobody : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @pthread_self() -> i64
llvm.func @hlo_goes_on(%record: !llvm.ptr) -> i1 {
  %second = llvm.getelementptr %record[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %interrupted = llvm.load %second : !llvm.ptr -> i64
  %thread = llvm.call @pthread_self() : () -> i64
  %other = llvm.icmp "ne" %thread, %interrupted : i64
  llvm.return %other : i1
}
"""
