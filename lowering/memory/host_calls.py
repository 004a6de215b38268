"""Custom calls in the program that the runtime calls, which gives it a table: a callback, and for each call a symbol
or null, and the symbol's context.

Before:  llvm.call %table(%number, %addresses)             (in the module's hlo.custom_calls, by its number)
After:   (addresses of operands, of results, then the sizes of results)
         llvm.call @hlo_host_call(%run, %number, %addresses, %results, %count)

A symbol is a function of machine code, `void f(void* out, const void** in, const void* context, int64_t* failed)` (or
without the last ones): `in` is the array of addresses, `out` the address of the result, or of the results' addresses in
the array unless there is one result. Where it writes another number than 0 to `failed`, the callback is called too,
which raises what there is to raise.

Where there is no symbol, the callback is called, a Python function: with the number of the call, the array of addresses, and a word that no
call before had (the processor's cycle counter), which it gives back when all went well. A failure is what holds until it does: an
exception that leaves a Python function has no other sign, and leaves what is returned undefined. `%run` is a record on the stack of the
program's entry: the table, and whether a call has failed in this run. After a failure the results of this call and of those that follow
are zeros, and nothing is called any more."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.numbers import integer

HOST_CALL = "hlo_host_call"

NUMBER = "hlo.number"
"""An attribute of a custom call: its number. It also distinguishes branches that only differ in it: of two equal blocks
one would be left, which is given the number."""

TEXT = """
llvm.func weak_odr @hlo_host_call(%run: !llvm.ptr, %number: i64, %addresses: !llvm.ptr, %results: !llvm.ptr, %count: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %byte = llvm.mlir.constant(0 : i8) : i8
  %flag = llvm.getelementptr %run[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %before = llvm.load %flag : !llvm.ptr -> i64
  %sizes = llvm.getelementptr %results[%count] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %fine = llvm.icmp "eq" %before, %zero : i64
  llvm.cond_br %fine, ^look, ^clear(%zero : i64)
^look:
  %null = llvm.mlir.zero : !llvm.ptr
  %table = llvm.load %run : !llvm.ptr -> !llvm.ptr
  %pairs = llvm.add %number, %number : i64
  %row = llvm.add %pairs, %one : i64
  %entry = llvm.getelementptr %table[%row] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %context_at = llvm.getelementptr %entry[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %symbol = llvm.load %entry : !llvm.ptr -> !llvm.ptr
  %context = llvm.load %context_at : !llvm.ptr -> !llvm.ptr
  %native = llvm.icmp "ne" %symbol, %null : !llvm.ptr
  llvm.cond_br %native, ^symbol, ^callback
^symbol:
  %single = llvm.icmp "eq" %count, %one : i64
  llvm.cond_br %single, ^one, ^run(%results : !llvm.ptr)
^one:
  %only = llvm.load %results : !llvm.ptr -> !llvm.ptr
  llvm.br ^run(%only : !llvm.ptr)
^run(%out: !llvm.ptr):
  llvm.call %symbol(%out, %addresses, %context, %flag) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  %left = llvm.load %flag : !llvm.ptr -> i64
  %finished = llvm.icmp "eq" %left, %zero : i64
  llvm.cond_br %finished, ^end, ^again
^again:
  llvm.store %zero, %flag : i64, !llvm.ptr
  llvm.br ^callback
^callback:
  %callback = llvm.load %table : !llvm.ptr -> !llvm.ptr
  %word = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
  %answer = llvm.call %callback(%number, %addresses, %word) : !llvm.ptr, (i64, !llvm.ptr, i64) -> i64
  %done = llvm.icmp "eq" %answer, %word : i64
  llvm.cond_br %done, ^end, ^failed
^failed:
  llvm.store %one, %flag : i64, !llvm.ptr
  llvm.br ^clear(%zero : i64)
^clear(%i: i64):
  %more = llvm.icmp "ult" %i, %count : i64
  llvm.cond_br %more, ^result, ^end
^result:
  %slot = llvm.getelementptr %results[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %address = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %room = llvm.getelementptr %sizes[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %size = llvm.load %room : !llvm.ptr -> i64
  "llvm.intr.memset"(%address, %byte, %size) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
  %next = llvm.add %i, %one : i64
  llvm.br ^clear(%next : i64)
^end:
  llvm.return
}
"""


def stored_types(custom_call: ir.DictAttr) -> tuple[list[ir.Type], list[ir.Type]]:
    """Types of a custom call's operands and results in memory."""
    types = [ir.RankedTensorType(ir.TypeAttr(t).value) for t in ir.ArrayAttr(custom_call["hlo.stored_types"])]
    operands = len(ir.ArrayAttr(custom_call["hlo.operand_types"]))
    return types[:operands], types[operands:]


def call_number(call: Any, count: int) -> int:
    """The number of a custom call in the module's hlo.custom_calls, which has `count`. Raises CompileError where the
    text of a phase has another."""
    number = ir.IntegerAttr(call.attributes[NUMBER]).value if NUMBER in call.attributes else None
    if number is None or not 0 <= number < count:
        found = "none" if number is None else number
        raise CompileError(
            diagnostic(call, f"{NUMBER} of a custom call: one of the module's {count} expected, found {found}")
        )
    return number


def words_of_call(operands: int, results: int) -> int:
    """Of the array that a call needs: all addresses, then the sizes of the results."""
    return operands + 2 * results


def make_host_calls(module: ir.Module, table: ir.Value) -> ir.Value:
    """Rewrites the custom calls of the program, the calls of `table` (a value of its entry block). Returns the address of the word
    that says whether one has failed: 0 where none has."""
    kinds = [stored_types(ir.DictAttr(a)) for a in ir.ArrayAttr(module.operation.attributes["hlo.custom_calls"])]
    calls = [use.owner for use in table.uses]
    run, failed = _record(table)
    for call in calls:
        _, number, addresses = call.operands
        with call.location, ir.InsertionPoint(call):
            _call(run, number, addresses, *kinds[call_number(call, len(kinds))])
        call.erase()
    append_text(module, TEXT)
    return failed


def append_text(module: ir.Module, text: str) -> None:
    """Puts what a text defines behind all else in a module."""
    parsed = ir.Module.parse(text)  # owns the ops until they are moved
    for op in list(parsed.body.operations):
        op.operation.detach_from_parent()
        module.body.append(op)


def _record(table: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The addresses of a run's record and of its second word."""
    with ir.InsertionPoint.after(table.owner):
        run = llvm.alloca(table.type, word(2), integer(64))
        failed = word_of(run, 1)
        llvm.store(table, run)
        llvm.store(word(0), failed)
    return run, failed


def _call(
    run: ir.Value, number: ir.Value, addresses: ir.Value, operands: Sequence[Any], results: Sequence[Any]
) -> None:
    """What is in `addresses` already: those of all arrays."""
    first = len(operands)
    for position, kind in enumerate(results, first + len(results)):
        llvm.store(word(prod(kind.shape) * element_bytes(kind.element_type)), word_of(addresses, position))
    llvm.CallOp(None, [run, number, addresses, word_of(addresses, first), word(len(results))], [], [], callee=HOST_CALL)


def word_of(array: ir.Value, number: int) -> ir.Value:
    """The address of a word of an array."""
    return llvm.getelementptr(array.type, array, [], [number], integer(64), 0) if number else array


def word(value: int) -> ir.Value:
    """A constant of the LLVM dialect."""
    return llvm.mlir_constant(ir.IntegerAttr.get(integer(64), value))
