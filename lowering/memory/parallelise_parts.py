"""The pass `parallelise-parts`: calls of functions with `hlo.part` become calls of the runtime, which runs the parts on all threads.
Until then, such a call (`call_parts`) means: all parts from 0 to its last argument, on any threads.

Before:  llvm.func @k.part(%a: !llvm.ptr, %t: i64) attributes {hlo.part} {...}
         llvm.call @k.part(%a, %count)
After:   llvm.func @k.part(%t: i64, %work: !llvm.ptr) { %a = llvm.load %work[2] ... }
         %work = llvm.alloca 3 x i64                    // @k.part, %count, %a
         llvm.call @hlo_share(%work)                    // runtime/code/parallel_parts.py

A part with `hlo.row` (`time-calls`) is timed on its thread: the call is one of @hlo_profile_share(%work, %row) (runtime/profile/timers.py).
One function for all kernels: a parallel region of its own costs each kernel as much code as a small loop nest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, llvm

from hlo.errors import CompileError
from hlo.lowering.finding import callee_of, name_of, ops_named
from hlo.lowering.llvm.add_entry import load_arguments
from hlo.lowering.memory.host_calls import word, word_of
from hlo.lowering.numbers import integer
from hlo.lowering.passes import Pass, register_pass

PART = "hlo.part"
"""Of a function whose last argument is the number of a part, of type index or i64."""

ROW = "hlo.row"
"""Of a part: the row of the module's hlo.profile in which its time counts."""

RUN_PARTS, RUN_TIMED_PARTS = "hlo_share", "hlo_profile_share"
"""The runtime's functions: take the address of the words (function, number of parts, its arguments); the second one a row, too."""

FIRST = 2
"""The word of the first argument."""


def call_parts(part: Any, arguments: Sequence[ir.Value], count: int) -> None:
    """A call of all parts, whose function takes the arguments and an index."""
    part.attributes[PART] = ir.UnitAttr.get()
    func.CallOp([], name_of(part), [*arguments, arith.constant(ir.IndexType.get(), count)])


@register_pass
class ParalleliseParts(Pass):
    """Packs the arguments of parts into an array of words."""

    def run(self, module: ir.Module) -> None:
        functions = [op for op in module.body.operations if op.operation.name == "llvm.func"]
        parts = {name_of(op): op for op in functions if PART in op.attributes}
        if not parts:
            return
        rows = {name: ir.IntegerAttr(op.attributes[ROW]) for name, op in parts.items() if ROW in op.attributes}
        for part in parts.values():
            with part.location:
                _unpack(part)
        for call in _calls(module, parts):
            with call.location:
                _parallelise(call, rows.get(callee_of(call)))
        with module.operation.location, ir.InsertionPoint.at_block_begin(module.body):
            _declare(RUN_PARTS, "ptr")
            if rows:
                _declare(RUN_TIMED_PARTS, "ptr, i64")


def _declare(name: str, arguments: str) -> None:
    llvm.LLVMFuncOp(name, ir.TypeAttr.get(ir.Type.parse(f"!llvm.func<void ({arguments})>")))


def _unpack(part: Any) -> None:
    """Gives the function its new type; its arguments are loaded first."""
    block = part.regions[0].blocks[0]
    kinds = ir.Type.parse("!llvm.ptr"), integer(64)
    if any(a.type not in kinds for a in block.arguments):
        raise CompileError(f"{part.location}: parallelise-parts takes parts whose arguments are pointers and i64")
    load_arguments(part, len(block.arguments) - 1, "!llvm.func<void (i64, ptr)>", FIRST)
    for attribute in (PART, ROW):
        if attribute in part.attributes:
            del part.attributes[attribute]


def _calls(module: ir.Module, parts: dict[str, Any]) -> list[Any]:
    direct = [
        op for op in ops_named(module, ("llvm.call",)) if "callee" in op.attributes
    ]  # others: the runtime's callback
    return [op for op in direct if callee_of(op) in parts]


def _parallelise(call: Any, row: ir.IntegerAttr | None) -> None:
    pointer = ir.Type.parse("!llvm.ptr")
    *arguments, count = call.operation.operands
    with ir.InsertionPoint.at_block_begin(call.operation.parent.regions[0].blocks[0]):
        work = llvm.alloca(pointer, word(FIRST + len(arguments)), integer(64))
    with ir.InsertionPoint(call):
        part = llvm.mlir_addressof(pointer, call.attributes["callee"])
        for number, value in enumerate((part, count, *arguments)):
            llvm.store(value, word_of(work, number))
        if row is None:
            llvm.CallOp(None, [work], [], [], callee=RUN_PARTS)
        else:
            llvm.CallOp(None, [work, llvm.mlir_constant(row)], [], [], callee=RUN_TIMED_PARTS)
    call.operation.erase()


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
