"""Calls of functions of XLA's FFI (hlo.jax.functions.ffi) as machine code: each gets a call frame of its own, on the stack of the thread that calls.

`CallHandler` is the machine code of a custom call (runtime/custom_calls/registry.py): `in` has the addresses of the operands,
`out` that of the result, or of an array of them, `context` the words below. The frame is a copy of a template in which
words that are addresses in it count bytes from its beginning, and the addresses of data are missing."""

from __future__ import annotations

(
    HANDLER,
    TEMPLATE,
    TEMPLATE_WORDS,
    ADDRESS_WORDS,
    ADDRESS_COUNT,
    OPERANDS,
    OPERAND_COUNT,
    OUTPUTS,
    OUTPUT_COUNT,
    CONTEXT_WORDS,
) = range(10)
"""Words of a context: the function; the template and its size; which of its words are addresses; where data of operands
and of results goes, in both cases the numbers of words and how many there are."""

FFI_CODE = """
// Stores addresses in words of a frame.
llvm.func internal @set_words(%frame: !llvm.ptr, %numbers: !llvm.ptr, %n: i64, %addresses: !llvm.ptr) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %n step %one : i64 {
    %number = get %numbers[%i] : i64
    %address = get %addresses[%i] : i64
    put %address, %frame[%number] : i64
  }
  llvm.return
}

llvm.func @CallHandler(%out: !llvm.ptr, %in: !llvm.ptr, %c: !llvm.ptr, %failed: !llvm.ptr) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %word = arith.constant 8 : i64
  %handler = get %c[HANDLER] : !llvm.ptr
  %template = get %c[TEMPLATE] : !llvm.ptr
  %words = get %c[TEMPLATE_WORDS] : i64
  %bytes = arith.muli %words, %word : i64
  %frame = llvm.alloca %words x i64 : (i64) -> !llvm.ptr
  "llvm.intr.memcpy"(%frame, %template, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %base = llvm.ptrtoint %frame : !llvm.ptr to i64
  %address_words = get %c[ADDRESS_WORDS] : !llvm.ptr
  %count = get %c[ADDRESS_COUNT] : i64
  scf.for %i = %zero to %count step %one : i64 {
    %number = get %address_words[%i] : i64
    %offset = get %frame[%number] : i64
    %address = arith.addi %base, %offset : i64
    put %address, %frame[%number] : i64
  }
  %operands = get %c[OPERANDS] : !llvm.ptr
  %operand_count = get %c[OPERAND_COUNT] : i64
  llvm.call @set_words(%frame, %operands, %operand_count, %in) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  %outputs = get %c[OUTPUTS] : !llvm.ptr
  %output_count = get %c[OUTPUT_COUNT] : i64
  %cell = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  put %out, %cell[0] : !llvm.ptr
  %single = arith.cmpi eq, %output_count, %one : i64
  %list = llvm.select %single, %cell, %out : i1, !llvm.ptr
  llvm.call @set_words(%frame, %outputs, %output_count, %list) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  %error = llvm.call %handler(%frame) : !llvm.ptr, (!llvm.ptr) -> !llvm.ptr
  %told = llvm.ptrtoint %error : !llvm.ptr to i64
  put %told, %failed[0] : i64
  llvm.return
}
"""

NAMES = ("CallHandler",)
"""The functions that others may call."""
