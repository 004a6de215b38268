"""The pass `generate-plainly`: functions that only call others get code without optimisations, in a third of the time
that optimised code takes.

Before:  llvm.func @hlo_entry(%words: !llvm.ptr) { ... llvm.call @k.code(%x, %y) ... }
After:   llvm.func @hlo_entry(%words: !llvm.ptr) attributes {no_inline, optimize_none} { ... llvm.call @k.code(%x, %y) ... }

Such functions compute integers and addresses, and each turn of their loops is a call and little else: host code, and
the loops around panels and tiles that routines compute. A module of such functions alone goes through LLVM's pipeline
without optimisations (`runtime/compile/llvm_engine.py`), which takes half of the time that the other needs for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from hlo.lowering.finding import each
from hlo.lowering.passes import Pass, register_pass

CALL = "llvm.call"
MARKS = ("no_inline", "optimize_none")
PLAIN = frozenset(
    f"llvm.{name}"
    for name in (
        *("add", "alloca", "and", "ashr", "br", "call", "cond_br", "getelementptr", "icmp", "intr.memcpy", "intr.smax"),
        *("intr.smin", "intr.umax", "intr.umin", "inttoptr", "load", "lshr", "mlir.addressof", "mlir.constant"),
        *("mlir.poison", "mlir.undef", "mlir.zero", "mul", "or", "ptrtoint", "return", "sdiv", "select", "sext", "shl"),
        *("srem", "store", "sub", "trunc", "udiv", "urem", "xor", "zext"),
    )
)
"""Ops on integers and addresses, and moves."""

SOURCES = frozenset({"llvm.load", "llvm.mlir.constant"})
"""Where vectors come from in functions of such ops."""

MOST = 24
"""Ops of a loop, without those of loops in it, for each of its calls."""


@register_pass
class GeneratePlainly(Pass):
    """Marks functions whose work is calls."""

    def run(self, module: ir.Module) -> None:
        for function in each(module.body.operations):
            if function.operation.name == "llvm.func" and _only_calls(function.regions[0]):
                for name in MARKS:
                    function.attributes[name] = ir.UnitAttr.get()


def is_plain(module: ir.Module) -> bool:
    """Whether no function of a module in the LLVM dialect is to be optimised: LLVM needs no passes for that then."""
    return all(
        all(name in op.operation.attributes for name in MARKS)
        for op in each(module.body.operations)
        if op.operation.name == "llvm.func" and len(op.regions[0].blocks)
    )


def _only_calls(body: ir.Region) -> bool:
    blocks = list(each(body.blocks))
    ops, calls = [], []
    for block in blocks:
        names = [op.operation.name for op in each(block.operations) if _is_plain(op)]
        if len(names) < len(block.operations):
            return False
        ops.append(len(names))
        calls.append(names.count(CALL))
    loops = list(_loops(blocks))
    return any(calls) and all(sum(ops[n] for n in _own(loop, loops)) <= MOST * sum(calls[loop]) for loop in loops)


def _is_plain(op: ir.OpView) -> bool:
    name = op.operation.name
    return name in PLAIN and not (name in SOURCES and isinstance(op.results[0].type, ir.VectorType))


def _own(loop: slice, loops: list[slice]) -> Iterator[int]:
    """The blocks of a loop that are in none of the loops in it."""
    inside = [range(one.start, one.stop) for one in loops if loop.start <= one.start and one.stop <= loop.stop]
    return (
        n
        for n in range(loop.start, loop.stop)
        if not any(n in one for one in inside if len(one) < loop.stop - loop.start)
    )


def _loops(blocks: list[ir.Block]) -> Iterator[slice]:
    """Each loop's blocks, which follow each other (as convert-scf-to-cf writes them)."""
    number = {block: n for n, block in enumerate(blocks)}
    for last, block in enumerate(blocks):
        yield from (slice(number[s], last + 1) for s in block.successors if number[s] <= last)
