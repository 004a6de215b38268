"""Tiles multiplied by warpgroups of sm_90a: for which problems, and how large. The code is in warpgroup_kernel.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.accesses import is_zero
from hlo.lowering.gpu.contraction.axes import Span
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.box_ring import At, BoxRing, Input
from hlo.lowering.gpu.contraction.pipeline import Tile, dynamic_shared_memory
from hlo.lowering.gpu.contraction.problem import MatrixTypes, Problem, matrix_types
from hlo.lowering.gpu.contraction.result_tile import Consumer, StagedResult
from hlo.lowering.gpu.contraction.warpgroup_sides import CONSUMERS, DEPTH_BYTES, LINE, ROWS, Side, Sides, sides_of
from hlo.lowering.gpu.device_functions import starts_of
from hlo.lowering.gpu.hopper_ops import (
    WARPGROUP,
    Barriers,
    Specialised,
    descriptor_of,
    fields,
    start_products,
    undefined,
    wait_for_products,
)
from hlo.lowering.gpu.tensor_maps import TensorMap
from hlo.lowering.gpu.threads import each
from hlo.lowering.linalg.loops import for_loop, index, zero
from hlo.lowering.vector.target import Target

LEAST_BUSY = {256: 1.0, 128: 0.48}
"""By columns of a tile: the part of the multiprocessors that must have one."""

COSTS = {256: 2.0, 128: 1.12}
"""About how long a tile takes, by its columns: narrow ones read more shared memory for each product."""


def most_columns(types: MatrixTypes) -> int:
    """Of a tile: promoted sums take twice the registers."""
    return 128 if types.is_promoted else 256


def columns_for(problem: Problem, types: MatrixTypes, target: Target) -> int | None:
    """Of a tile, if inputs lie as they should."""
    rows = -(-problem.m // (CONSUMERS * ROWS)) * problem.batches
    counts = {columns: rows * -(-problem.n // columns) for columns in LEAST_BUSY if columns <= most_columns(types)}
    return _quickest(counts, target)


def _quickest(counts: Mapping[int, int], target: Target) -> int | None:
    """The columns of tiles that take the least time when all multiprocessors take tiles in turns, of which there are `counts`;
    None for too few of them."""
    fit = [columns for columns, count in counts.items() if count >= LEAST_BUSY[columns] * target.multiprocessors]
    return min(fit, key=lambda columns: -(-counts[columns] // target.multiprocessors) * COSTS[columns], default=None)


@dataclass(frozen=True)
class WarpgroupTile(Tile):
    """128 x `n` results."""

    target: Target
    n: int
    types: MatrixTypes
    left: Side
    right: Side
    depth: Span
    m: int = CONSUMERS * ROWS
    threads: int = (1 + CONSUMERS) * WARPGROUP

    @staticmethod
    def of(problem: Problem, target: Target) -> WarpgroupTile | None:
        """For types that wgmma has, inputs in memory as TMA and wgmma want them, and enough tiles."""
        types = matrix_types(problem)
        if types is None or columns_for(problem, types, target) is None:
            return None
        found: dict[int, Sides] = {}
        for width in (one for one in LEAST_BUSY if one <= most_columns(types)):
            sides = sides_of(problem, width, types.size)
            if sides is not None:
                found[width] = sides
        columns = _quickest(
            {n: problem.batches * one.left.span.tiles * one.right.span.tiles for n, one in found.items()}, target
        )
        if columns is None:
            return None
        sides = found[columns]
        return WarpgroupTile(target, columns, types, sides.left, sides.right, sides.depth)

    def depth_of(self, problem: Problem) -> int:
        return self.depth.tiles * self.depth.room

    def rate(self, width: int) -> float:
        return 11e12 / width

    def blocks(self, tiles: int) -> int:
        """One a multiprocessor, each with every so many-th tile, or its part of it."""
        return min(tiles, self.target.multiprocessors)

    @property
    def unit(self) -> str:
        return f"wgmma, one warpgroup that copies {self._boxes()}by TMA and {CONSUMERS} that multiply"

    def _boxes(self) -> str:
        """What a tile has of rows and columns that do not count as one."""
        spans = (self.left.span, self.right.span)
        found = ["x".join(str(part.box) for part in span.parts) for span in spans if len(span.parts) > 1]
        return f"boxes of {' and '.join(found)} " if found else ""

    def spans(self, problem: Problem) -> tuple[Span, Span]:
        return self.left.span, self.right.span

    def maps(self, problem: Problem) -> list[tuple[ir.Value, TensorMap]]:
        return [(problem.op.operands[side.number], side.box) for side in (self.left, self.right)]

    @property
    def stage_bytes(self) -> int:
        return self.left.bytes + self.right.bytes

    @property
    def result(self) -> StagedResult:
        """Of each consumer, behind the stages."""
        return StagedResult(ir.F32Type.get() if self.types.sums == "f32" else ir.IntegerType.get_signless(32))

    @property
    def stages(self) -> int:
        return (self.target.shared_bytes - CONSUMERS * self.result.part.bytes) // self.stage_bytes

    def shared_bytes(self, problem: Problem) -> int:
        return self.stages * self.stage_bytes + CONSUMERS * self.result.part.bytes

    def emit(self, block: Block) -> None:
        WarpgroupKernel(self, block).emit()


# MERGED contraction/warpgroup_kernel
# """The code of warpgroups of sm_90a: blocks that stay, TMA into a ring of stages, wgmma, specialised warps.
#
#     warpgroup 0:      for each of the block's tiles, for each step: wait until the step's stage is empty; announce its bytes; TMA
#                       both boxes
#     warpgroups 1, 2:  for each of the block's tiles, for each step: wait until its stage is full; four wgmma; tell that the stage
#                       before is empty; then the epilogue, while warpgroup 0 fills the ring with the next tile
#
# Each consumer multiplies 64 rows of the tile. The tensor cores keep few bits of sums of f8: those of a stage are added to others by ordinary
# instructions."""


REGISTERS = 40, 232
"""Of a thread that copies, and of one that multiplies."""

LEAD = 1
"""Steps that the first consumer is ahead of the second one. Each keeps a stage of the ring busy."""


class WarpgroupKernel(Specialised):
    """The code of a block: tiles of 128 x `tile.n` results."""

    def __init__(self, tile: WarpgroupTile, block: Block):
        self.tile, self.block, self.steps = tile, block, tile.depth.tiles
        sides = (tile.left, tile.right)
        self.descriptors = [descriptor_of(pointer, side.box) for pointer, side in zip(block.maps, sides)]
        self.memory = dynamic_shared_memory()
        starts = [starts_of(block.problem.op.operands[side.number], block.values) for side in sides]
        inputs = [Input(*one) for one in zip(sides, self.descriptors, starts)]
        self.ring = BoxRing(inputs, tile.stages, Barriers.create(2 * tile.stages), 0, self.memory)
        super().__init__(block.thread)

    def emit(self) -> None:
        self.prepare(lambda: self.ring.prepare(CONSUMERS), self.descriptors)
        ir.Operation.create("gpu.barrier")
        self.specialise(REGISTERS, lambda: self._for_each_tile(self._produce), self._multiply_tiles)

    def _multiply_tiles(self) -> None:
        room = self.tile.stages * self.ring.stage_bytes
        self.consumer = Consumer(self.group, self.member, self.memory, room, self.tile.result.part.bytes)
        self._let_first_lead()
        self._for_each_tile(self._consume)

    def _let_first_lead(self) -> None:
        """The second consumer begins a step later: then it multiplies while the first one writes its results, and the other way
        round."""
        if self.steps <= LEAD:
            return
        # no branch: behind one that only some warpgroups take, ptxas has each product wait for the one before
        stage = arith.muli(self.consumer.number, index(LEAD))
        self.ring.barriers.wait(stage, arith.constant(ir.IntegerType.get_signless(1), False))

    def _for_each_tile(self, work: Callable[[ir.Value], None]) -> None:
        """`work` is given how many steps the block has done before the tile."""

        def steps_after(done: ir.Value) -> ir.Value:
            work(done)
            return arith.addi(done, index(self.steps))

        self.block.for_each_tile(index(0), steps_after)

    # The producer

    def _produce(self, done: ir.Value) -> None:
        with each(0, self.steps) as item:
            depth = self.tile.depth.begin(item)
            self.ring.fill(arith.addi(done, item), [self._at(outer, depth) for outer in self.block.corner])

    def _at(self, outer: Sequence[ir.Value], depth: Sequence[ir.Value]) -> At:
        """Where a box begins. `outer`, `depth`: by part."""
        parts, place = {"outer": outer, "depth": depth}, self.block.element.coordinates
        return lambda source: place[source] if isinstance(source, int) else parts[source[0]][source[1]]

    # The consumers

    def _consume(self, done: ir.Value) -> None:
        multiply = self._promoted_products if self.tile.types.is_promoted else self._products
        sums = multiply(done, self.consumer.number)
        if self.block.start is not None and not is_zero(self.block.start):
            add = arith.addf if self.tile.types.sums == "f32" else arith.addi
            sums = [add(self.block.start, one) for one in sums]
        self.tile.result.take(self.consumer, self.block, sums)

    def _products(self, done: ir.Value, consumer: ir.Value) -> list[ir.Value]:
        """A thread's sums: 2 x 8 rows, two neighbours in each eight columns. They begin with 0 by the first product itself: where
        registers are set, ptxas would have products wait."""
        first = self._multiply(self.ring.wait(done), consumer, self._undefined(), True)

        def one_step(number: ir.Value, sums: ir.Value) -> list[ir.Value]:
            step = arith.addi(done, number)
            after = self._multiply(self.ring.wait(step), consumer, sums, False)
            wait_for_products(1)
            self.ring.release(arith.subi(step, index(1)), self.is_first)
            return [after]

        (sums,) = for_loop(1, self.steps, one_step, [first])
        wait_for_products(0)
        self.ring.release(arith.addi(done, index(self.steps - 1)), self.is_first)
        return fields(sums)

    def _promoted_products(self, done: ir.Value, consumer: ir.Value) -> list[ir.Value]:
        """The same; the sums of each stage begin with 0 and are added to the others."""
        start = self._undefined()
        starts = [zero(self.block.sum_type)] * (self.tile.n // 2)

        def one_step(number: ir.Value, *totals: ir.Value) -> list[ir.Value]:
            step = arith.addi(done, number)
            sums = self._multiply(self.ring.wait(step), consumer, start, True)
            wait_for_products(0)
            self.ring.release(step, self.is_first)
            return [arith.addf(old, new) for old, new in zip(totals, fields(sums))]

        return for_loop(0, self.steps, one_step, starts)

    def _undefined(self) -> ir.Value:
        return undefined(self.tile.types.sums, self.tile.n // 2)

    def _multiply(self, stage: ir.Value, consumer: ir.Value, sums: ir.Value, is_from_zero: bool) -> ir.Value:
        rows = arith.muli(consumer, index(self.tile.left.rows))
        left = self.tile.left.descriptor(self.memory, arith.addi(self.ring.begin(stage), rows))
        right = self.tile.right.descriptor(self.memory, self.ring.begin(stage, 1))
        pairs = ((self.tile.left.part(left, n), self.tile.right.part(right, n)) for n in range(LINE // DEPTH_BYTES))
        transposed = (not self.tile.left.is_along_depth, not self.tile.right.is_along_depth)
        return start_products(self.tile.types, self.tile.n, pairs, transposed, sums, is_from_zero)
