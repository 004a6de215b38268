"""A reduction by all threads of a row: each takes every n-th element, then they combine what they have, by shuffles within
warps, then by the row's first thread; and arrays in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.element import ACCESS_BYTES, Element, delinearized, index_constant, reduction_width, vectors_at
from hlo.lowering.gpu.fold import Fold
from hlo.lowering.gpu.grid import THREADS
from hlo.lowering.gpu.shuffles import WARP, fold_lanes


@dataclass(frozen=True)
class Team:
    """The threads of a row. `thread`: the number of this one in its block; `own`: in its row; `slot`: the number of the row
    in the block; `is_there`: whether it has a row, None if all have."""

    thread: ir.Value
    own: ir.Value
    threads: int
    slot: ir.Value
    is_there: ir.Value | None

    def limited(self, stop: ir.Value) -> ir.Value:
        """Where a loop ends that begins with `own`: at once without a row."""
        return stop if self.is_there is None else arith.select(self.is_there, stop, index_constant(0))

    def is_first(self) -> ir.Value:
        first = arith.cmpi(arith.CmpIPredicate.eq, self.own, index_constant(0))
        return first if self.is_there is None else arith.andi(first, self.is_there)


MOST_WARPS = THREADS // WARP


def emit_row_reduction(element: Element, fold: Fold, team: Team) -> None:
    """Leaves the result in the outputs, at the element's place. Needs a barrier after it before it can be read."""
    lanes = min(WARP, team.threads)
    state = fold_lanes(fold, _own_part(element, fold, team), [n for n in (1, 2, 4, 8, 16) if n < lanes])
    arrays = _shared(fold, state, team) if team.threads > WARP else []
    first = scf.IfOp(team.is_first())
    with ir.InsertionPoint(first.then_block):
        if arrays:
            state = _of_warps(fold, arrays, team)
        results = fold.finish([element.load(n) for n in element.outputs], state)
        for number, value in zip(element.outputs, results):
            element.store(number, value)
        scf.YieldOp([])


def _own_part(element: Element, fold: Fold, team: Team) -> list[ir.Value]:
    """What this thread's elements combine to; neighbours of 16 bytes are loaded at once."""
    nest = element.nest
    width = reduction_width(element)
    stop = team.limited(index_constant(nest.extent(nest.reduction) // width))
    loop = scf.ForOp(team.own, stop, index_constant(team.threads), fold.start())
    with ir.InsertionPoint(loop.body):
        sizes = [nest.sizes[d] for d in nest.reduction]
        sizes[-1] //= width
        for d, index in zip(nest.reduction, delinearized(loop.induction_variable, sizes)):
            element.place[d] = index
        scf.YieldOp(_several(element, fold, width, list(loop.inner_iter_args)))
    return list(loop.results)


def _several(element: Element, fold: Fold, width: int, state: list[ir.Value]) -> list[ir.Value]:
    last = element.nest.reduction[-1]
    first = arith.muli(element.place[last], index_constant(width)) if width > 1 else element.place[last]
    element.place[last] = first
    lanes = vectors_at(element, width, last) if width > 1 else None
    for lane in range(width):
        element.place[last] = arith.addi(first, index_constant(lane)) if lane else first
        terms = fold.terms(element, lanes(lane) if lanes else ())
        state = fold.combine(state, fold.of_terms(terms))
    return state


def _shared(fold: Fold, state: list[ir.Value], team: Team) -> list[ir.Value]:
    """Arrays with what each warp of the block has."""
    arrays = [shared_array(MOST_WARPS, value.type) for value in state]
    lane, warp = arith.remui(team.thread, index_constant(WARP)), arith.divui(team.thread, index_constant(WARP))
    first = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, lane, index_constant(0)))
    with ir.InsertionPoint(first.then_block):
        for value, array in zip(state, arrays):
            memref.store(value, array, [warp])
        scf.YieldOp([])
    ir.Operation.create("gpu.barrier")
    return arrays


def _of_warps(fold: Fold, arrays: list[ir.Value], team: Team) -> list[ir.Value]:
    """What the warps of this row have, together."""
    count = team.threads // WARP
    first = arith.muli(team.slot, index_constant(count))
    places = [arith.addi(first, index_constant(n)) for n in range(count)]
    state, *others = [[memref.load(array, [place]) for array in arrays] for place in places]
    for other in others:
        state = fold.combine(state, other)
    return state


def shared_array(count: int, kind: ir.Type) -> ir.Value:
    """A new array in the shared memory of the gpu.func at the insertion point."""
    return shared_array_of([count], kind)


def shared_array_of(shape: Sequence[int], kind: ir.Type) -> ir.Value:
    """The same of any rank."""
    owner = ir.InsertionPoint.current.block.owner
    while owner.operation.name != "gpu.func":
        owner = owner.operation.parent
    space = ir.Attribute.parse("#gpu.address_space<workgroup>")
    return add_shared(owner.operation, ir.MemRefType.get(list(shape), kind, None, space))


def add_shared(function: ir.Operation, kind: ir.Type) -> ir.Value:
    """A new workgroup attribution of a gpu.func, aligned for the widest access."""
    number = ir.IntegerAttr(function.attributes["workgroup_attributions"]).value + 1
    function.attributes["workgroup_attributions"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    i64 = ir.IntegerType.get_signless(64)
    aligned = ir.DictAttr.get({"llvm.align": ir.IntegerAttr.get(i64, ACCESS_BYTES)})
    function.attributes["workgroup_attrib_attrs"] = ir.ArrayAttr.get([aligned] * number)
    return function.regions[0].blocks[0].add_argument(kind, function.location)
