"""What a program with loops has of its own, so that they can end early (`interrupt-loops` writes their look at the flag).

`hlo_interrupt` points to a record, whose words `interrupts.py` describes. It is a record that nobody sets until who loads the program points it
to the process's. `hlo_goes_on` is called when a flag is set."""

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
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %true = llvm.mlir.constant(true) : i1
  %false = llvm.mlir.constant(false) : i1
  %flags = llvm.load %record : !llvm.ptr -> i64
  %interrupted_at = llvm.getelementptr %record[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %interrupted = llvm.load %interrupted_at : !llvm.ptr -> i64
  %thread = llvm.call @pthread_self() : () -> i64
  %flag = llvm.and %flags, %one : i64
  %some = llvm.icmp "ne" %flag, %zero : i64
  %same = llvm.icmp "eq" %thread, %interrupted : i64
  %ends = llvm.and %some, %same : i1
  llvm.cond_br %ends, ^end, ^others
^others:
  %second = llvm.and %flags, %two : i64
  %abandoned = llvm.icmp "ne" %second, %zero : i64
  llvm.cond_br %abandoned, ^lists, ^go
^lists:
  %lists_at = llvm.getelementptr %record[3] : (!llvm.ptr) -> !llvm.ptr, i64
  %first = llvm.load %lists_at : !llvm.ptr -> !llvm.ptr
  llvm.br ^list(%first : !llvm.ptr)
^list(%list: !llvm.ptr):
  %number = llvm.ptrtoint %list : !llvm.ptr to i64
  %last = llvm.icmp "eq" %number, %zero : i64
  llvm.cond_br %last, ^go, ^threads
^threads:
  %next = llvm.load %list : !llvm.ptr -> !llvm.ptr
  %count_at = llvm.getelementptr %list[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %count_at : !llvm.ptr -> i64
  llvm.br ^thread(%zero : i64)
^thread(%n: i64):
  %more = llvm.icmp "ult" %n, %count : i64
  llvm.cond_br %more, ^compare, ^list(%next : !llvm.ptr)
^compare:
  %n_next = llvm.add %n, %one : i64
  %before = llvm.add %n, %two : i64
  %at = llvm.getelementptr %list[%before] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %listed = llvm.load %at : !llvm.ptr -> i64
  %found = llvm.icmp "eq" %listed, %thread : i64
  llvm.cond_br %found, ^end, ^thread(%n_next : i64)
^end:
  llvm.return %false : i1
^go:
  llvm.return %true : i1
}
"""
