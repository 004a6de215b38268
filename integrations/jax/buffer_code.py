"""Memory of small buffers as machine code: made, shared and freed without Python.

A buffer of this kind is a record and a block of memory, both from the C library; what Python makes (hlo.jax.records) has its memory in numpy
arrays instead. The text is for hlo.jax.machine_code; names in capitals stand for numbers."""

from __future__ import annotations

ALIGNMENT = 64

BUFFER_CODE = """
llvm.mlir.global internal @bytes(0 : i64) {alignment = 8 : i64} : i64
llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)

// Memory of at least %size bytes.
llvm.func internal @take_memory(%size: i64) -> !llvm.ptr {
  %a = llvm.mlir.constant(ALIGNMENT : i64) : i64
  %mask = llvm.mlir.constant(-ALIGNMENT : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %least = llvm.intr.umax(%size, %one) : (i64, i64) -> i64
  %over = llvm.add %least, %a : i64
  %last = llvm.sub %over, %one : i64
  %rounded = llvm.and %last, %mask : i64
  %p = llvm.call @aligned_alloc(%a, %rounded) : (i64, i64) -> !llvm.ptr
  llvm.return %p : !llvm.ptr
}

// A record for a buffer with this memory: a copy of a form.
llvm.func internal @new_record(%form: !llvm.ptr, %block: !llvm.ptr) -> !llvm.ptr {
  %one = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(RECORD_BYTES : i64) : i64
  %o = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  "llvm.intr.memcpy"(%o, %form, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %pb = llvm.getelementptr %o[BLOCK] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %block, %pb : !llvm.ptr, !llvm.ptr
  %pa = llvm.getelementptr %o[ADDRESS] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %block, %pa : !llvm.ptr, !llvm.ptr
  %pn = llvm.getelementptr %o[NATIVE] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %one, %pn : i64, !llvm.ptr
  llvm.return %o : !llvm.ptr
}

// A buffer with memory of its own.
llvm.func @NewBuffer(%form: !llvm.ptr) -> !llvm.ptr {
  %psize = llvm.getelementptr %form[SIZE] : (!llvm.ptr) -> !llvm.ptr, i64
  %size = llvm.load %psize : !llvm.ptr -> i64
  %block = llvm.call @take_memory(%size) : (i64) -> !llvm.ptr
  %counter = llvm.mlir.addressof @bytes : !llvm.ptr
  %before = llvm.atomicrmw add %counter, %size monotonic : !llvm.ptr, i64
  %o = llvm.call @new_record(%form, %block) : (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
  llvm.return %o : !llvm.ptr
}

// Takes a buffer's own memory away from it; null if it has none.
llvm.func @TakeBlock(%o: !llvm.ptr) -> !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  %zero = llvm.mlir.constant(0 : i64) : i64
  %pb = llvm.getelementptr %o[BLOCK] : (!llvm.ptr) -> !llvm.ptr, i64
  %taken = llvm.atomicrmw xchg %pb, %zero acq_rel : !llvm.ptr, i64
  %none = llvm.icmp "eq" %taken, %zero : i64
  llvm.cond_br %none, ^done(%null : !llvm.ptr), ^take
^take:
  %psize = llvm.getelementptr %o[SIZE] : (!llvm.ptr) -> !llvm.ptr, i64
  %size = llvm.load %psize : !llvm.ptr -> i64
  %counter = llvm.mlir.addressof @bytes : !llvm.ptr
  %before = llvm.atomicrmw sub %counter, %size monotonic : !llvm.ptr, i64
  %block = llvm.inttoptr %taken : i64 to !llvm.ptr
  llvm.br ^done(%block : !llvm.ptr)
^done(%found: !llvm.ptr):
  llvm.return %found : !llvm.ptr
}

// Gives up one owner's share in a record. What Python made waits in a list until Python collects it.
llvm.func internal @release(%o: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %pc = llvm.getelementptr %o[COUNT] : (!llvm.ptr) -> !llvm.ptr, i64
  %owners = llvm.atomicrmw sub %pc, %one seq_cst : !llvm.ptr, i64
  %last = llvm.icmp "eq" %owners, %one : i64
  llvm.cond_br %last, ^last, ^done
^last:
  %pm = llvm.getelementptr %o[NATIVE] : (!llvm.ptr) -> !llvm.ptr, i64
  %native = llvm.load %pm : !llvm.ptr -> i64
  %is_native = llvm.icmp "ne" %native, %zero : i64
  llvm.cond_br %is_native, ^free, ^list
^free:
  %block = llvm.call @TakeBlock(%o) : (!llvm.ptr) -> !llvm.ptr
  llvm.call @free(%block) : (!llvm.ptr) -> ()
  llvm.call @free(%o) : (!llvm.ptr) -> ()
  llvm.br ^done
^list:
  %h = llvm.ptrtoint %o : !llvm.ptr to i64
  %pn = llvm.getelementptr %o[NEXT] : (!llvm.ptr) -> !llvm.ptr, i64
  %head = llvm.mlir.addressof @released : !llvm.ptr
  %seen = llvm.load %head atomic monotonic {alignment = 8 : i64} : !llvm.ptr -> i64
  llvm.br ^push(%seen : i64)
^push(%old: i64):
  llvm.store %old, %pn : i64, !llvm.ptr
  %swap = llvm.cmpxchg %head, %old, %h acq_rel monotonic {alignment = 8 : i64} : !llvm.ptr, i64
  %current = llvm.extractvalue %swap[0] : !llvm.struct<(i64, i1)>
  %swapped = llvm.extractvalue %swap[1] : !llvm.struct<(i64, i1)>
  llvm.cond_br %swapped, ^done, ^push(%current : i64)
^done:
  llvm.return
}

// Where the number of bytes in buffers' own memory is kept.
llvm.func @Bytes(%a: !llvm.ptr) -> !llvm.ptr {
  %p = llvm.mlir.addressof @bytes : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
"""

NAMES = ("NewBuffer", "TakeBlock", "Bytes")
"""The functions that others may call."""
