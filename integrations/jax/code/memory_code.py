"""Memory of buffers and temporaries as machine code: what is given back is kept and handed out again, so that a steady state touches no
fresh pages.

Small memory comes from the C library, which keeps it at hand itself. Larger memory has one of CLASSES sizes, 8 an octave; what is free of
a size is a list through its first words, behind one lock for all of them that is held for a few instructions."""

from __future__ import annotations

import mmap

from hlo.runtime.calls import allocator

ALIGNMENT = allocator.ALIGNMENT
LEAST_POOLED = allocator.LEAST_POOLED
HUGE_PAGE = allocator.HUGE_PAGE
LIMIT = allocator.LIMIT
HUGE_PAGE_ADVICE = getattr(mmap, "MADV_HUGEPAGE", 0)

CLASSES = 264
"""Up to 2**47 bytes."""

FIRST_CLASS = 8 * (LEAST_POOLED.bit_length() - 2) + 15
"""What makes the class of LEAST_POOLED bytes 0."""

MEMORY_CODE = """
llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @madvise(!llvm.ptr, i64, i32) -> i32
llvm.func @sched_yield() -> i32

llvm.mlir.global internal @lists(dense<0> : tensor<CLASSES x i64>) {alignment = 8 : i64} : !llvm.array<CLASSES x i64>
llvm.mlir.global internal @kept(0 : i64) {alignment = 8 : i64} : i64
llvm.mlir.global internal @locked(0 : i64) {alignment = 8 : i64} : i64

llvm.func internal @lock() {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %locked = llvm.mlir.addressof @locked : !llvm.ptr
  scf.while : () -> () {
    %before = llvm.atomicrmw xchg %locked, %one acquire : !llvm.ptr, i64
    %taken = arith.cmpi ne, %before, %zero : i64
    scf.condition(%taken)
  } do {
    %ignored = llvm.call @sched_yield() : () -> i32
    scf.yield
  }
  llvm.return
}

llvm.func internal @unlock() {
  %zero = arith.constant 0 : i64
  %locked = llvm.mlir.addressof @locked : !llvm.ptr
  llvm.store %zero, %locked atomic release {alignment = 8 : i64} : i64, !llvm.ptr
  llvm.return
}

// The number of eighths of an octave, and how far they are shifted: the size with its last three bits behind the first rounded up.
llvm.func internal @eighths(%size: i64) -> !llvm.struct<(i64, i64)> {
  %one = arith.constant 1 : i64
  %top = arith.constant 60 : i64
  %last = arith.subi %size, %one : i64
  %zeros = "llvm.intr.ctlz"(%last) <{is_zero_poison = false}> : (i64) -> i64
  %shift = arith.subi %top, %zeros : i64
  %high = arith.shrui %last, %shift : i64
  %none = llvm.mlir.undef : !llvm.struct<(i64, i64)>
  %half = llvm.insertvalue %high, %none[0] : !llvm.struct<(i64, i64)>
  %both = llvm.insertvalue %shift, %half[1] : !llvm.struct<(i64, i64)>
  llvm.return %both : !llvm.struct<(i64, i64)>
}

// The list for memory of a size.
llvm.func internal @list_of(%size: i64) -> !llvm.ptr {
  %eight = arith.constant 8 : i64
  %three = arith.constant 3 : i64
  %first = arith.constant FIRST_CLASS : i64
  %most = arith.constant CLASSES : i64
  %one = arith.constant 1 : i64
  %both = llvm.call @eighths(%size) : (i64) -> !llvm.struct<(i64, i64)>
  %high = llvm.extractvalue %both[0] : !llvm.struct<(i64, i64)>
  %shift = llvm.extractvalue %both[1] : !llvm.struct<(i64, i64)>
  %exponent = arith.addi %shift, %three : i64
  %octaves = arith.muli %exponent, %eight : i64
  %sum = arith.addi %octaves, %high : i64
  %class = arith.subi %sum, %first : i64
  %highest = arith.subi %most, %one : i64
  %bounded = arith.minui %class, %highest : i64
  %lists = llvm.mlir.addressof @lists : !llvm.ptr
  %list = word %lists[%bounded]
  llvm.return %list : !llvm.ptr
}

// The size of all memory in a list, from a size that belongs there.
llvm.func internal @rounded(%size: i64) -> i64 {
  %one = arith.constant 1 : i64
  %both = llvm.call @eighths(%size) : (i64) -> !llvm.struct<(i64, i64)>
  %high = llvm.extractvalue %both[0] : !llvm.struct<(i64, i64)>
  %shift = llvm.extractvalue %both[1] : !llvm.struct<(i64, i64)>
  %next = arith.addi %high, %one : i64
  %bytes = arith.shli %next, %shift : i64
  llvm.return %bytes : i64
}

// Memory from the C library; null if there is none.
llvm.func internal @fresh(%size: i64) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %one = arith.constant 1 : i64
  %line = arith.constant ALIGNMENT : i64
  %page = arith.constant HUGE_PAGE : i64
  %advice = arith.constant HUGE_PAGE_ADVICE : i32
  %huge = arith.cmpi uge, %size, %page : i64
  %alignment = arith.select %huge, %page, %line : i64
  %last = arith.subi %alignment, %one : i64
  %over = arith.addi %size, %last : i64
  %parts = arith.divui %over, %alignment : i64
  %bytes = arith.muli %parts, %alignment : i64
  %p = llvm.call @aligned_alloc(%alignment, %bytes) : (i64, i64) -> !llvm.ptr
  %there = llvm.icmp "ne" %p, %null : !llvm.ptr
  %advised = arith.andi %there, %huge : i1
  scf.if %advised {
    %ignored = llvm.call @madvise(%p, %bytes, %advice) : (!llvm.ptr, i64, i32) -> i32
  }
  llvm.return %p : !llvm.ptr
}

// The first memory of a list, which it leaves; null if it is empty. Locked.
llvm.func internal @pop(%list: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %p = get %list[0] : !llvm.ptr
  %there = llvm.icmp "ne" %p, %null : !llvm.ptr
  scf.if %there {
    %following = get %p[0] : i64
    put %following, %list[0] : i64
  }
  llvm.return %p : !llvm.ptr
}

llvm.func internal @add_kept(%bytes: i64) -> i64 {
  %counter = llvm.mlir.addressof @kept : !llvm.ptr
  %before = get %counter[0] : i64
  %after = arith.addi %before, %bytes : i64
  put %after, %counter[0] : i64
  llvm.return %after : i64
}

// Frees all that is kept.
llvm.func internal @trim() {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant CLASSES : i64
  %lists = llvm.mlir.addressof @lists : !llvm.ptr
  %counter = llvm.mlir.addressof @kept : !llvm.ptr
  llvm.call @lock() : () -> ()
  scf.for %i = %zero to %n step %one : i64 {
    %list = word %lists[%i]
    scf.while : () -> () {
      %p = llvm.call @pop(%list) : (!llvm.ptr) -> !llvm.ptr
      llvm.call @free(%p) : (!llvm.ptr) -> ()
      %more = llvm.icmp "ne" %p, %null : !llvm.ptr
      scf.condition(%more)
    } do {
      scf.yield
    }
  }
  put %zero, %counter[0] : i64
  llvm.call @unlock() : () -> ()
  llvm.return
}

llvm.func internal @take_large(%size: i64) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %list = llvm.call @list_of(%size) : (i64) -> !llvm.ptr
  %bytes = llvm.call @rounded(%size) : (i64) -> i64
  %less = arith.subi %zero, %bytes : i64
  llvm.call @lock() : () -> ()
  %found = llvm.call @pop(%list) : (!llvm.ptr) -> !llvm.ptr
  %was_kept = llvm.icmp "ne" %found, %null : !llvm.ptr
  scf.if %was_kept {
    %ignored = llvm.call @add_kept(%less) : (i64) -> i64
  }
  llvm.call @unlock() : () -> ()
  %p = scf.if %was_kept -> (!llvm.ptr) {
    scf.yield %found : !llvm.ptr
  } else {
    %made = llvm.call @fresh(%bytes) : (i64) -> !llvm.ptr
    scf.yield %made : !llvm.ptr
  }
  %none = llvm.icmp "eq" %p, %null : !llvm.ptr
  %q = scf.if %none -> (!llvm.ptr) {
    llvm.call @trim() : () -> ()
    %made = llvm.call @fresh(%bytes) : (i64) -> !llvm.ptr
    scf.yield %made : !llvm.ptr
  } else {
    scf.yield %p : !llvm.ptr
  }
  llvm.return %q : !llvm.ptr
}

llvm.func internal @give_large(%p: !llvm.ptr, %size: i64) {
  %zero = arith.constant 0 : i64
  %limit = arith.constant LIMIT : i64
  %list = llvm.call @list_of(%size) : (i64) -> !llvm.ptr
  %bytes = llvm.call @rounded(%size) : (i64) -> i64
  %less = arith.subi %zero, %bytes : i64
  llvm.call @lock() : () -> ()
  %all = llvm.call @add_kept(%bytes) : (i64) -> i64
  %too_much = arith.cmpi ugt, %all, %limit : i64
  scf.if %too_much {
    %ignored = llvm.call @add_kept(%less) : (i64) -> i64
  } else {
    %first = get %list[0] : i64
    put %first, %p[0] : i64
    put %p, %list[0] : !llvm.ptr
  }
  llvm.call @unlock() : () -> ()
  scf.if %too_much {
    llvm.call @free(%p) : (!llvm.ptr) -> ()
  }
  llvm.return
}

// Memory of at least %size bytes; null if there is none.
llvm.func internal @take_memory(%size: i64) -> !llvm.ptr {
  %one = arith.constant 1 : i64
  %least = arith.constant LEAST_POOLED : i64
  %some = arith.maxui %size, %one : i64
  %large = arith.cmpi uge, %some, %least : i64
  %p = scf.if %large -> (!llvm.ptr) {
    %taken = llvm.call @take_large(%some) : (i64) -> !llvm.ptr
    scf.yield %taken : !llvm.ptr
  } else {
    %made = llvm.call @fresh(%some) : (i64) -> !llvm.ptr
    scf.yield %made : !llvm.ptr
  }
  llvm.return %p : !llvm.ptr
}

// The end of memory (or null) that was taken with this size.
llvm.func internal @give_memory(%p: !llvm.ptr, %size: i64) {
  %null = llvm.mlir.zero : !llvm.ptr
  %least = arith.constant LEAST_POOLED : i64
  %large = arith.cmpi uge, %size, %least : i64
  %there = llvm.icmp "ne" %p, %null : !llvm.ptr
  %kept = arith.andi %large, %there : i1
  scf.if %kept {
    llvm.call @give_large(%p, %size) : (!llvm.ptr, i64) -> ()
  } else {
    llvm.call @free(%p) : (!llvm.ptr) -> ()
  }
  llvm.return
}
"""
