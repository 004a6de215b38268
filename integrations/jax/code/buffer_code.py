"""Buffers as machine code: made, shared, deleted and freed without Python.

A buffer is a record and a block of memory (hlo.jax.code.memory_code); one in a borrowed host array has no block. Only those in memory of other
libraries have records from Python (hlo.jax.objects.records)."""

from __future__ import annotations

BYTES, PEAK_BYTES, ALLOCATIONS, LARGEST, BORROWED_BYTES, STATISTICS = range(6)
"""Words: the bytes that there are, the most that there were, how many times memory was taken, the largest, the bytes
that are borrowed; how many words."""

BUFFER_CODE = """
llvm.mlir.global internal @statistics(dense<0> : tensor<STATISTICS x i64>) {alignment = 8 : i64} : !llvm.array<STATISTICS x i64>

// Counts a buffer's own memory.
llvm.func internal @count(%size: i64) {
  %one = arith.constant 1 : i64
  %s = llvm.mlir.addressof @statistics : !llvm.ptr
  %before = llvm.atomicrmw add %s, %size monotonic : !llvm.ptr, i64
  %now = arith.addi %before, %size : i64
  %peak = word %s[PEAK_BYTES]
  %old_peak = llvm.atomicrmw umax %peak, %now monotonic : !llvm.ptr, i64
  %number = word %s[ALLOCATIONS]
  %old_number = llvm.atomicrmw add %number, %one monotonic : !llvm.ptr, i64
  %largest = word %s[LARGEST]
  %old_largest = llvm.atomicrmw umax %largest, %size monotonic : !llvm.ptr, i64
  llvm.return
}

// A record for a buffer with this memory: a copy of a form.
llvm.func internal @new_record(%form: !llvm.ptr, %block: !llvm.ptr) -> !llvm.ptr {
  %one = arith.constant 1 : i64
  %size = arith.constant RECORD_BYTES : i64
  %o = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  "llvm.intr.memcpy"(%o, %form, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  put %block, %o[BLOCK] : !llvm.ptr
  put %block, %o[ADDRESS] : !llvm.ptr
  put %one, %o[NATIVE] : i64
  llvm.return %o : !llvm.ptr
}

// A buffer with memory of its own; null if there is none.
llvm.func @NewBuffer(%form: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %size = get %form[SIZE] : i64
  %block = llvm.call @take_memory(%size) : (i64) -> !llvm.ptr
  %there = llvm.icmp "ne" %block, %null : !llvm.ptr
  %o = scf.if %there -> (!llvm.ptr) {
    llvm.call @count(%size) : (i64) -> ()
    %made = llvm.call @new_record(%form, %block) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
    scf.yield %made : !llvm.ptr
  } else {
    scf.yield %null : !llvm.ptr
  }
  llvm.return %o : !llvm.ptr
}

// The end of a buffer's own memory, if it still has it, or of a borrow.
llvm.func internal @drop_block(%o: !llvm.ptr) {
  %zero = arith.constant 0 : i64
  %pb = word %o[BLOCK]
  %block = llvm.atomicrmw xchg %pb, %zero acq_rel : !llvm.ptr, i64
  %there = arith.cmpi ne, %block, %zero : i64
  scf.if %there {
    %size = get %o[SIZE] : i64
    %counter = llvm.mlir.addressof @statistics : !llvm.ptr
    %before = llvm.atomicrmw sub %counter, %size monotonic : !llvm.ptr, i64
    %p = llvm.inttoptr %block : i64 to !llvm.ptr
    llvm.call @give_memory(%p, %size) : (!llvm.ptr, i64) -> ()
  }
  %borrowed = get %o[BORROWED] : i64
  %is_borrowed = arith.cmpi ne, %borrowed, %zero : i64
  scf.if %is_borrowed {
    llvm.call @end_borrow(%o) : (!llvm.ptr) -> ()
  }
  llvm.return
}

// Tells the owner of a borrowed buffer's memory that nobody uses it any more.
llvm.func internal @end_borrow(%o: !llvm.ptr) {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = arith.constant 0 : i64
  %pl = word %o[BORROWED]
  %borrowed = llvm.atomicrmw xchg %pl, %zero acq_rel : !llvm.ptr, i64
  %first = arith.cmpi ne, %borrowed, %zero : i64
  scf.if %first {
    %size = get %o[SIZE] : i64
    %s = llvm.mlir.addressof @statistics : !llvm.ptr
    %counter = word %s[BORROWED_BYTES]
    %before = llvm.atomicrmw sub %counter, %size monotonic : !llvm.ptr, i64
    %on_end = get %o[ON_END] : !llvm.ptr
    %argument = get %o[ON_END_ARGUMENT] : !llvm.ptr
    %waits = llvm.icmp "ne" %on_end, %null : !llvm.ptr
    scf.if %waits {
      llvm.call %on_end(%null, %argument) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
    }
  }
  llvm.return
}

// Takes a reference to a record. Returns whether the buffer is deleted.
llvm.func @Borrow(%o: !llvm.ptr) -> i64 {
  %one = arith.constant 1 : i64
  %pc = word %o[COUNT]
  %owners = llvm.atomicrmw add %pc, %one seq_cst : !llvm.ptr, i64
  %pd = word %o[DELETED]
  %deleted = llvm.load %pd atomic seq_cst {alignment = 8 : i64} : !llvm.ptr -> i64
  llvm.return %deleted : i64
}

// Gives up a reference to a record. What Python made waits in a list until Python collects it.
llvm.func @Release(%o: !llvm.ptr) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %pc = word %o[COUNT]
  %owners = llvm.atomicrmw sub %pc, %one seq_cst : !llvm.ptr, i64
  %last = arith.cmpi eq, %owners, %one : i64
  scf.if %last {
    %native = get %o[NATIVE] : i64
    %is_native = arith.cmpi ne, %native, %zero : i64
    scf.if %is_native {
      llvm.call @drop_block(%o) : (!llvm.ptr) -> ()
      llvm.call @free(%o) : (!llvm.ptr) -> ()
    } else {
      llvm.call @push_released(%o) : (!llvm.ptr) -> ()
    }
  }
  llvm.return
}

llvm.func internal @push_released(%o: !llvm.ptr) {
  %h = llvm.ptrtoint %o : !llvm.ptr to i64
  %head = llvm.mlir.addressof @released : !llvm.ptr
  %seen = llvm.load %head atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  %last = scf.while (%old = %seen) : (i64) -> i64 {
    put %old, %o[NEXT] : i64
    %swap = llvm.cmpxchg %head, %old, %h acq_rel monotonic {alignment = 8 : i64} : !llvm.ptr, i64
    %current = llvm.extractvalue %swap[0] : !llvm.struct<(i64, i1)>
    %same = llvm.extractvalue %swap[1] : !llvm.struct<(i64, i1)>
    %true = arith.constant true
    %again = arith.xori %same, %true : i1
    scf.condition(%again) %current : i64
  } do {
  ^next(%current: i64):
    scf.yield %current : i64
  }
  llvm.return
}

// From now on nobody gets a reference: who asks for one looks at DELETED after he has raised COUNT. With no reference but JAX's, the memory is free.
llvm.func @Delete(%o: !llvm.ptr) {
  %one = arith.constant 1 : i64
  %pd = word %o[DELETED]
  %before = llvm.atomicrmw xchg %pd, %one seq_cst : !llvm.ptr, i64
  %pc = word %o[COUNT]
  %owners = llvm.load %pc atomic seq_cst {alignment = 8 : i64} : !llvm.ptr -> i64
  %alone = arith.cmpi eq, %owners, %one : i64
  scf.if %alone {
    llvm.call @drop_block(%o) : (!llvm.ptr) -> ()
  }
  llvm.return
}

llvm.func @Buffer_Delete(%a: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %o = get %a[2] : !llvm.ptr
  llvm.call @Delete(%o) : (!llvm.ptr) -> ()
  llvm.return %null : !llvm.ptr
}

// Where it is counted how much memory of their own buffers have, and had.
llvm.func @Statistics(%a: !llvm.ptr) -> !llvm.ptr {
  %p = llvm.mlir.addressof @statistics : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
"""

NAMES = ("NewBuffer", "Borrow", "Release", "Delete", "Buffer_Delete", "Statistics")
"""The functions that others may call."""
