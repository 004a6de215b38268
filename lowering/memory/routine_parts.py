"""Calls of a routine for several parts of the work, which run at once (`linalg/routine_calls.py`), by way of a function
of the program that calls it for one.

Before:  the addresses of %numbers, of what all parts have in common, of the first part's own arrays, of the second part's
After:   func.func private @k.code.part_0(%numbers, %common, %first, %second, %part) attributes {hlo.part} {
           %own = llvm.alloca ...                                     // the numbers, the last one is %part
           %array = arith.select %part is 0, %first, %second
           llvm.call @hlo_routine_parttop_...(%own, %common, %array) }
         call @k.code.part_0(%numbers, %common, %first, %second, 2)   // for both parts (`parallelise_parts.py`)"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, func, llvm

from hlo.lowering.finding import name_of
from hlo.lowering.memory.host_calls import word, word_of
from hlo.lowering.memory.parallelise_parts import call_parts
from hlo.lowering.numbers import integer


def call_routine_in_parts(module: ir.Module, name: str, numbers: int, addresses: Sequence[ir.Value], parts: int, own: int) -> None:  # fmt: skip
    """At the insertion point. `numbers`: how many the routine has, the part's is the last one; `own`: arrays that each
    part has for itself, of the last addresses."""
    function = _function(module, [v.type for v in addresses])
    *given, part = function.add_entry_block().arguments
    with ir.InsertionPoint(function.entry_block):
        common, arrays = given[1 : len(given) - parts * own], given[len(given) - parts * own :]
        chosen = [_of_part(part, arrays[n::own]) for n in range(own)]
        llvm.CallOp(None, [_numbers_of_part(given[0], numbers, part), *common, *chosen], [], [], callee=name)
        func.ReturnOp([])
    call_parts(function, addresses, parts)


def _function(module: ir.Module, kinds: Sequence[ir.Type]) -> func.FuncOp:
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    name = f"{name_of(functions[0])}.part_{len(functions) - 1}"
    with ir.InsertionPoint(module.body):
        return func.FuncOp(name, ([*kinds, ir.IndexType.get()], []), visibility="private")


def _numbers_of_part(given: ir.Value, count: int, part: ir.Value) -> ir.Value:
    """A copy of a call's numbers, with the part's."""
    numbers = llvm.alloca(given.type, word(count), integer(64))
    for n in range(count - 1):
        llvm.store(llvm.load(integer(64), word_of(given, n)), word_of(numbers, n))
    llvm.store(arith.index_cast(integer(64), part), word_of(numbers, count - 1))
    return numbers


def _of_part(part: ir.Value, arrays: Sequence[ir.Value]) -> ir.Value:
    """The array of a part."""
    *others, found = arrays
    for number in reversed(range(len(others))):
        is_this = arith.cmpi(arith.CmpIPredicate.eq, part, arith.constant(part.type, number))
        found = arith.select(is_this, others[number], found)
    return found
