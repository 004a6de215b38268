"""The function that runs the parts of a kernel (`parallelise-parts` writes its calls), as a program has it.

Words at `work`: a function of a part's number and `work`, the number of parts, what else the function reads.
`hlo_threads` is two words of the program's own: the address of the thread pool's `hlo_run_parts` and the executable's
number of threads. Who loads the program writes them (`threads/pool.py`)."""

from __future__ import annotations

RUN_PARTS = "hlo_share"

TEXT = """
llvm.mlir.global external @hlo_threads() : !llvm.array<2 x i64> {
  %0 = llvm.mlir.zero : !llvm.array<2 x i64>
  llvm.return %0 : !llvm.array<2 x i64>
}
llvm.func @hlo_share(%work: !llvm.ptr) {
  %words = llvm.mlir.addressof @hlo_threads : !llvm.ptr
  %second = llvm.getelementptr %words[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %run_parts = llvm.load %words : !llvm.ptr -> !llvm.ptr
  %threads = llvm.load %second : !llvm.ptr -> i64
  llvm.call %run_parts(%work, %threads) : !llvm.ptr, (!llvm.ptr, i64) -> ()
  llvm.return
}
"""
