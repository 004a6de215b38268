"""Contractions as launches: a block of threads computes a tile of the result, and what follows it elementwise.

Before:  linalg.generic fill (%t); linalg.generic multiply-add (%a, %b) -> %t; linalg.generic tanh(%t + bias) -> %r
After:   one gpu.func: tiles of both inputs go through shared memory, the sums stay in registers, tanh is applied to them

How a tile is multiplied: simt.py, tensor_cores.py, warpgroups.py; what then becomes of it: block.py."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.gpu.accesses import RULES, nest_of
from hlo.lowering.gpu.contraction.block import Block, Follower, follower
from hlo.lowering.gpu.contraction.padding import CAST
from hlo.lowering.gpu.contraction.pipeline import Tile
from hlo.lowering.gpu.contraction.problem import Problem, innermost, problem_of, swapped
from hlo.lowering.gpu.contraction.simt import simt_tile
from hlo.lowering.gpu.contraction.tensor_cores import tensor_core_tile
from hlo.lowering.gpu.contraction.warpgroups import warpgroup_tile
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.grid import Grid, Launch, counted
from hlo.lowering.vector.target import Target


@dataclass(frozen=True)
class Contraction:
    """A contraction, with the op that fills its result before, if there is one, and elementwise ops after it.
    `hidden`: memory that only these use, and that is not written."""

    problem: Problem
    tile: Tile
    fill: ir.Operation | None
    followers: Sequence[Follower]
    hidden: Collection[ir.Value]

    def launch(self) -> Launch:
        p = self.problem
        batch = f"{p.batches} x " if p.batches > 1 else ""
        kinds = " and ".join(dict.fromkeys(str(ir.MemRefType(v.type).element_type) for v in p.op.operands))
        after = f", then {counted(len(self.followers), 'elementwise op')} on the sums" if self.followers else ""
        tile = f"tiles of {self.tile.m} x {self.tile.n} by {self.tile.unit}"
        decision = f"contraction {batch}{p.m} x {p.n} x {p.k} of {kinds}: {tile}{after}"
        maps = [(_stored(value), one) for value, one in self.tile.maps]
        grid = Grid(self.tile.blocks, self.tile.threads, self.tile.shared_bytes)
        ops = [*([self.fill] if self.fill is not None else []), p.op, *(one.op for one in self.followers)]
        return Launch(grid, decision, self.emit, ops, maps, hidden=self.hidden)

    def emit(self, values: Values, maps: Sequence[ir.Value] = ()) -> None:
        """`maps`: the tensor maps, as the gpu.func has them."""
        start, tile = None, self.tile
        if self.fill is not None:
            *_, end = self.fill.regions[0].blocks[0].operations
            start = values.get(end.operands[0], end.operands[0])
        block = Block(self.problem, tile.tiles, (tile.m, tile.n), values, tile.blocks, tile.spans)
        block.epilogue(self.followers, self.hidden, start)
        block.maps = list(maps)
        tile.code.emit(block)


def _stored(value: ir.Value) -> ir.Value:
    """The memory that a value sees in another shape, or a part of: what a tensor map begins in."""
    while (op := made_by(value, *RULES, CAST)) is not None:
        value = op.operands[0]
    return value


def contraction_group(ops: Sequence[ir.Operation], target: Target) -> Contraction | None:
    """What begins with the first of `ops`: a contraction large enough for tiles, with its neighbours; None for
    other ops."""
    fill = ops[0] if len(ops) > 1 and _fills(ops[0], ops[1]) else None
    op, *others = ops[1:] if fill is not None else ops
    problem = problem_of(op)
    if problem is None or not problem.is_worth_tiles:
        return None
    inside, results = [op, *([fill] if fill is not None else [])], [op.operands[2]]
    followers: list[Follower] = []
    for other in others:
        one = follower(other, problem, results)
        used = {
            v for before in inside for v in before.operands
        }  # what other blocks may still read, or what was written
        if one is None or any(v in used for v in one.outputs):
            break
        followers.append(one)
        inside.append(other)
        results += one.outputs
    hidden = {
        v
        for v in (results if fill is not None else results[1:])
        if made_by(v, "memref.alloc")
        and all(use.owner.operation in inside or use.owner.name == "memref.dealloc" for use in v.uses)
    }
    inner = _inner(problem, followers, hidden)
    problem = swapped(problem, inner) if inner in problem.rows else problem
    return Contraction(problem, tile_for(problem, target), fill, followers, hidden)


def _inner(p: Problem, followers: Sequence[Follower], hidden: Collection[ir.Value]) -> int | None:
    """The contraction's dimension that everything which is written is contiguous along."""
    found = set() if p.op.operands[2] in hidden else {innermost(p.nest.maps[2])}
    for one in followers:
        for value, map_ in zip(one.outputs, one.nest.maps[one.nest.inputs :]):
            if value not in hidden:
                inner = innermost(map_)
                found.add(None if inner is None else one.dimensions[inner])
    return found.pop() if len(found) == 1 else None


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
