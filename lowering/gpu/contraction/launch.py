"""Contractions as launches: a block of threads computes a tile of the result, and what follows it elementwise.

Before:  linalg.generic fill (%t); linalg.generic multiply-add (%a, %b) -> %t; linalg.generic tanh(%t + bias) -> %r
After:   one gpu.func: tiles of both inputs go through shared memory, the sums stay in registers, tanh is applied to them

How a tile is multiplied: simt.py, tensor_cores.py, warpgroups.py; what then becomes of it: epilogue.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.accesses import RULES, nest_of
from hlo.lowering.gpu.contraction.block import Block, Follower, follower
from hlo.lowering.gpu.contraction.padding import CAST
from hlo.lowering.gpu.contraction.pipeline import Tile
from hlo.lowering.gpu.contraction.problem import Problem, innermost, problem_of, turned
from hlo.lowering.gpu.contraction.simt import simt_tile
from hlo.lowering.gpu.contraction.tensor_cores import tensor_core_tile
from hlo.lowering.gpu.contraction.warpgroups import warpgroup_tile
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.grid import Grid, Launch, counted
from hlo.lowering.vector.target import Target


@dataclass
class Contraction:
    """A contraction, with the op that fills its result before, if there is one, and elementwise ops after it.
    `hidden`: memory that only these use, and that is not written."""

    problem: Problem
    tile: Tile
    fill: ir.Operation | None = None
    followers: list[Follower] = field(default_factory=list)
    hidden: set[ir.Value] = field(default_factory=set)

    @property
    def ops(self) -> list[ir.Operation]:
        before = [self.fill] if self.fill is not None else []
        return [*before, self.problem.op, *(f.op for f in self.followers)]

    def launch(self) -> Launch:
        p = self.problem
        batch = f"{p.batches} x " if p.batches > 1 else ""
        kinds = " and ".join(dict.fromkeys(str(ir.MemRefType(v.type).element_type) for v in p.op.operands))
        after = f", then {counted(len(self.followers), 'elementwise op')} on the sums" if self.followers else ""
        tile = f"tiles of {self.tile.m} x {self.tile.n} by {self.tile.unit}"
        decision = f"contraction {batch}{p.m} x {p.n} x {p.k} of {kinds}: {tile}{after}"
        maps = [(_stored(value), one) for value, one in self.tile.maps]
        grid = Grid(self.tile.blocks, self.tile.threads, self.tile.shared_bytes)
        return Launch(grid, decision, self.emit, self.ops, maps, hidden=self.hidden)

    def emit(self, values: Values, maps: Sequence[ir.Value] = ()) -> None:
        """`maps`: the tensor maps, as the gpu.func has them."""
        start = _filled_with(self.fill, values) if self.fill is not None else None
        tile = self.tile
        block = Block(self.problem, tile.tiles, (tile.m, tile.n), values, tile.blocks, tile.spans)
        block.epilogue(self.followers, self.hidden, start)
        block.maps = list(maps)
        tile.code.emit(block)


def _stored(value: ir.Value) -> ir.Value:
    """The memory that a value sees in another shape, or a part of: what a tensor map begins in."""
    while (op := made_by(value, *RULES, CAST)) is not None:
        value = op.operands[0]
    return value


def _filled_with(fill: ir.Operation, values: Values) -> ir.Value:
    *_, end = fill.regions[0].blocks[0].operations
    return values.get(end.operands[0], end.operands[0])


def contraction_group(ops: Sequence[ir.Operation], target: Target) -> Contraction | None:
    """What begins with the first of `ops`: a contraction large enough for tiles, with its neighbours; None for
    other ops."""
    fill = ops[0] if len(ops) > 1 and _fills(ops[0], ops[1]) else None
    first = 1 if fill is not None else 0
    found = _contraction(ops[first], target)
    if found is None:
        return None
    found.fill = fill
    for op in ops[first + 1 :]:
        at_place = {found.problem.op.operands[2], *_outputs(found.followers)}
        one = follower(op, found.problem, at_place)
        if one is None or _overwrites(one, found):
            break
        found.followers.append(one)
    found.hidden = _hidden(found)
    inner = _inner(found)
    if inner in found.problem.rows:
        found.problem = turned(found.problem, inner)
        found.tile = tile_for(found.problem, target)
    return found


def _inner(group: Contraction) -> int | None:
    """The contraction's dimension that everything which is written is contiguous along."""
    p = group.problem
    found = set() if p.op.operands[2] in group.hidden else {innermost(p.nest.maps[2])}
    for one in group.followers:
        for number in range(one.nest.inputs, len(one.op.operands)):
            if one.op.operands[number] not in group.hidden:
                inner = innermost(one.nest.maps[number])
                found.add(None if inner is None else one.dimensions[inner])
    return found.pop() if len(found) == 1 else None


def _contraction(op: ir.Operation, target: Target) -> Contraction | None:
    """The launch of a linalg.generic that multiplies and adds, alone."""
    problem = problem_of(op)
    if problem is None or not problem.is_worth_tiles:
        return None
    return Contraction(problem, tile_for(problem, target))


def tile_for(problem: Problem, target: Target) -> Tile:
    """How a problem is multiplied on a target."""
    by_warpgroups = warpgroup_tile(problem, target) if target.wgmma else None
    return by_warpgroups or tensor_core_tile(problem, target) or simt_tile(problem, target)


def _fills(op: ir.Operation, after: ir.Operation) -> bool:
    """The op fills the result of the contraction `after` with one value."""
    if op.name != "linalg.generic" or after.name != "linalg.generic" or len(op.operands) != 1:
        return False
    nest, (body,) = nest_of(op), op.regions[0].blocks
    *before, end = body.operations
    is_constant = not before and not isinstance(end.operands[0].owner, ir.Block)
    return nest.inputs == 0 and not nest.reduction and is_constant and op.operands[0] == list(after.operands)[-1]


def _outputs(followers: Sequence[Follower]) -> list[ir.Value]:
    return [v for f in followers for v in list(f.op.operands)[f.nest.inputs :]]


def _overwrites(one: Follower, group: Contraction) -> bool:
    """The op writes what the contraction reads (other blocks may still do so), or what was written before."""
    used = {v for op in group.ops for v in op.operands}
    return any(v in used for v in list(one.op.operands)[one.nest.inputs :])


def _hidden(group: Contraction) -> set[ir.Value]:
    """Memory allocated for the group alone, whose values followers have at hand."""
    inside = set(group.ops)
    results = [group.problem.op.operands[2], *_outputs(group.followers)]
    if group.fill is None:
        results = results[1:]
    return {
        v
        for v in results
        if made_by(v, "memref.alloc")
        and all(use.owner.operation in inside or use.owner.name == "memref.dealloc" for use in v.uses)
    }
