"""Updates of elements that several threads may make at once, where their order does not matter (`hlo.atomic` of a loop).

Before:  %0 = memref.load %r[%i]   %1 = arith.addi %0, %x   memref.store %1, %r[%i]
After:   memref.atomic_rmw addi %x, %r[%i]"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, memref

from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located

KINDS = {
    "arith.addi": arith.AtomicRMWKind.addi,
    "arith.andi": arith.AtomicRMWKind.andi,
    "arith.maxsi": arith.AtomicRMWKind.maxs,
    "arith.maxui": arith.AtomicRMWKind.maxu,
    "arith.minsi": arith.AtomicRMWKind.mins,
    "arith.minui": arith.AtomicRMWKind.minu,
    "arith.ori": arith.AtomicRMWKind.ori,
}
"""By the op that combines."""


def make_atomic(loop: ir.Operation) -> None:
    """Every store in the loop becomes an atomic update. Raises CompileError for one that is none."""
    stores: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "memref.store":
            stores.append(op)
        return ir.WalkResult.ADVANCE

    loop.walk(visit)
    for store in stores:
        _replace(store)


def _replace(store: ir.Operation) -> None:
    value, target, *indices = store.operands
    if _loads(value, [target, *indices]):  # of a neutral element: nothing changes
        store.erase()
        return
    combiner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if combiner is None or combiner.name not in KINDS:
        raise CompileError(located(store, "an update that has no atomic instruction"))
    loads = [v for v in combiner.operands if _loads(v, [target, *indices])]
    if len(loads) != 1:
        raise CompileError(located(store, "an update of something else than the element that was read"))
    (other,) = [v for v in combiner.operands if v not in loads]
    with store.location, ir.InsertionPoint(store):
        memref.AtomicRMWOp(KINDS[combiner.name], other, target, indices)
    load = loads[0].owner.operation
    for op in (store, combiner, load):
        op.erase()


def _loads(value: ir.Value, place: list[ir.Value]) -> bool:
    owner = value.owner
    return not isinstance(owner, ir.Block) and owner.name == "memref.load" and list(owner.operands) == place
