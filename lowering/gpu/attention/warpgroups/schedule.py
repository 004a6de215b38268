"""Which tiles a block takes: one after the other, the longest first, so that all blocks end at about the same time.

Tiles with the same rows of a group of the batch follow each other, last rows first where they see most keys. Blocks take them in
their own order and in the reverse one by turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.gpu.attention.warpgroups.counts import count, is_odd, narrowed, widened
from hlo.lowering.gpu.attention.warpgroups.plan import WarpgroupPlan
from hlo.lowering.gpu.contraction.block import identity
from hlo.lowering.gpu.element import delinearized, index_constant


@dataclass(frozen=True)
class Tile:
    """`turn`: its number among the block's. `batch`: a position; `row`: of the first query. Steps are counted through all tiles of
    a block: `done` before this one. `seen`: those whose keys it sees. Counts have 32 bits."""

    turn: ir.Value
    batch: ir.Value
    row: ir.Value
    done: ir.Value
    seen: ir.Value


Work = Callable[[Tile], ir.Value]
"""Writes the code of a tile; gives the number of steps that it took."""


def for_each_tile(plan: WarpgroupPlan, work: Work) -> None:
    block, blocks = identity("gpu.block_id"), plan.grid.blocks
    reverse = arith.subi(index_constant(blocks - 1), block)
    loop = scf.ForOp(count(0), narrowed(_turns(plan, block, reverse)), count(1), [count(0)])
    with ir.InsertionPoint(loop.body):
        turn, done = loop.induction_variable, loop.inner_iter_args[0]
        place = arith.select(is_odd(turn), reverse, block)
        number = arith.addi(arith.muli(widened(turn), index_constant(blocks)), place)
        batch, row = _place(plan, number)
        first = arith.muli(row, index_constant(plan.cut.queries))
        tile = Tile(turn, batch, first, done, _seen(plan, first))
        scf.YieldOp([arith.addi(done, work(tile))])


def _turns(plan: WarpgroupPlan, block: ir.Value, reverse: ir.Value) -> ir.Value:
    """How many tiles the block has: in the last turn some blocks have none."""
    full, rest = divmod(plan.tiles, plan.grid.blocks)
    if not rest:
        return index_constant(full)
    has_one = arith.cmpi(arith.CmpIPredicate.ult, reverse if full % 2 else block, index_constant(rest))
    return arith.select(has_one, index_constant(full + 1), index_constant(full))


def _place(plan: WarpgroupPlan, number: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The position in the batch and the number of the tile's rows."""
    batches, rows = plan.values.batches, plan.row_tiles
    if plan.visible is None:
        batch, row = delinearized(number, [batches, rows])
        return batch, row
    group, row, member = delinearized(number, [batches // plan.together, rows, plan.together])
    batch = arith.addi(arith.muli(group, index_constant(plan.together)), member)
    return batch, arith.subi(index_constant(rows - 1), row)


def _seen(plan: WarpgroupPlan, first: ir.Value) -> ir.Value:
    if plan.visible is None:
        return count(plan.steps)
    return narrowed(plan.visible.steps(plan.values, first, plan.cut.queries, plan.cut.keys))
