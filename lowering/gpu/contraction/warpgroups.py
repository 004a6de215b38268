"""Tiles multiplied by warpgroups of sm_90a: for which problems, how large, and their code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.block import Block, StagedResult, Tile
from hlo.lowering.gpu.contraction.box_operands import CONSUMERS, K_BYTES, ROW_BYTES, ROWS, BoxOperands, box_operands
from hlo.lowering.gpu.contraction.problem import MatrixTypes, Problem, matrix_types
from hlo.lowering.gpu.hopper import (
    WARPGROUP,
    At,
    Barriers,
    BoxRing,
    Multiplier,
    Specialised,
    inputs_of,
    start_products,
    wait_for_products,
)
from hlo.lowering.gpu.threads import dynamic_shared_memory, each, fields
from hlo.lowering.linalg.loops import add, for_loop, index, mul, sub, zero
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.target import Target

LEAST_BUSY = {256: 1.0, 128: 0.48}
"""By columns of a tile: the part of the multiprocessors that must have one."""

RATE = 11e12
"""About how many operations a second one multiprocessor does, times the bytes of an element."""

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
    """The columns of tiles that take the least time when all multiprocessors take tiles alternately, of which there are `counts`;
    None for too few of them."""
    fit = [columns for columns, count in counts.items() if count >= LEAST_BUSY[columns] * target.multiprocessors]
    return min(fit, key=lambda columns: -(-counts[columns] // target.multiprocessors) * COSTS[columns], default=None)


def warpgroup_tile(problem: Problem, target: Target) -> Tile | None:
    """128 x n results, for types that wgmma has, inputs in memory as TMA and wgmma want them, and enough tiles."""
    types = matrix_types(problem)
    if types is None or columns_for(problem, types, target) is None:
        return None
    widths = [one for one in LEAST_BUSY if one <= most_columns(types)]
    found = {n: operands for n in widths if (operands := box_operands(problem, n, types.size)) is not None}
    counts = {n: problem.batches * one.left.span.tiles * one.right.span.tiles for n, one in found.items()}
    n = _quickest(counts, target)
    if n is None:
        return None
    operands = found[n]
    both = (operands.left, operands.right)
    spans = (operands.left.span, operands.right.span)
    result = StagedResult(ir.F32Type.get() if types.sums == "f32" else ir.IntegerType.get_signless(32))
    stage, results = (
        operands.left.bytes + operands.right.bytes,
        CONSUMERS * result.part.bytes,
    )  # results: behind the stages
    stages = (target.shared_bytes - results) // stage
    boxes = ["x".join(str(part.box) for part in span.parts) for span in spans if len(span.parts) > 1]
    copies = f"copies boxes of {' and '.join(boxes)} by TMA" if boxes else "copies by TMA"
    return Tile(
        problem,
        CONSUMERS * ROWS,
        n,
        (1 + CONSUMERS) * WARPGROUP,
        f"wgmma, one warpgroup that {copies} and {CONSUMERS} that multiply",
        RATE / max(element_bytes(problem.element_type(number)) for number in (0, 1)),
        stages * stage + results,
        WarpgroupCode(n, types, operands, stages, result),
        spans,
        operands.k.tiles * operands.k.room,
        [(problem.op.operands[operand.number], operand.box) for operand in both],
        target.multiprocessors,
    )


@dataclass(frozen=True)
class WarpgroupCode:
    """Tiles of 128 x `n` results: one block a multiprocessor, with every so many-th tile."""

    n: int
    types: MatrixTypes
    operands: BoxOperands
    stages: int
    result: StagedResult

    def emit(self, block: Block, maps: Sequence[ir.Value]) -> None:
        WarpgroupKernel(self, block, maps).emit()


# The code: blocks that stay, TMA into a multistage pipeline, wgmma, specialised warps.
#
#     warpgroup 0:      for each of the block's tiles, for each step: wait until the step's stage is empty; announce its bytes; TMA
#                       both boxes
#     warpgroups 1, 2:  for each of the block's tiles, for each step: wait until its stage is full; four wgmma; tell that the stage
#                       before is empty; then the epilogue, while warpgroup 0 fills the pipeline with the next tile
#
# Each consumer multiplies 64 rows of the tile. The tensor cores keep few bits of sums of f8: those of a stage are added to others by ordinary
# instructions.


REGISTERS = 40, 232
"""Of a thread that copies, and of one that multiplies."""

LEAD = 1
"""Steps that the first consumer is ahead of the second one. Each keeps a stage of the ring busy."""


class WarpgroupKernel(Specialised):
    """The code of a block: tiles of 128 x `tile.n` results."""

    def __init__(self, tile: WarpgroupCode, block: Block, maps: Sequence[ir.Value]):
        self.tile, self.block, self.left, self.right = tile, block, tile.operands.left, tile.operands.right
        self.k, self.steps = tile.operands.k, tile.operands.k.tiles
        operands = [(block.problem.op.operands[one.number], one) for one in (self.left, self.right)]
        self.memory = dynamic_shared_memory()
        self.ring = BoxRing(
            inputs_of(operands, maps, block.values), tile.stages, Barriers.create(2 * tile.stages), 0, self.memory
        )
        super().__init__(block.thread)

    def emit(self) -> None:
        descriptors = [one.descriptor for one in self.ring.inputs]
        produce = lambda: self._for_each_tile(self._produce)
        self.run(lambda: self.ring.prepare(CONSUMERS), descriptors, REGISTERS, produce, self._multiply_tiles)

    def _multiply_tiles(self) -> None:
        self.own = Multiplier(self)
        self.room = add(mul(self.own.number, self.tile.result.part.bytes), self.tile.stages * self.ring.stage_bytes)
        self._let_first_lead()
        self._for_each_tile(self._consume)

    def _let_first_lead(self) -> None:
        """The second consumer begins a step later: then it multiplies while the first one writes its results, and the other way
        round."""
        if self.steps <= LEAD:
            return
        # no branch: behind one that only some warpgroups take, ptxas has each product wait for the one before
        stage = mul(self.own.number, LEAD)
        self.ring.barriers.wait(stage, arith.constant(ir.IntegerType.get_signless(1), False))

    def _for_each_tile(self, work: Callable[[ir.Value], None]) -> None:
        """`work` is given how many steps the block has done before the tile."""

        def steps_after(done: ir.Value) -> ir.Value:
            work(done)
            return add(done, self.steps)

        self.block.for_each_tile(index(0), steps_after)

    # The producer

    def _produce(self, done: ir.Value) -> None:
        with each(0, self.steps) as item:
            k = self.k.begin(item)
            self.ring.fill(add(done, item), [self._at(outer, k) for outer in self.block.corner])

    def _at(self, outer: Sequence[ir.Value], k: Sequence[ir.Value]) -> At:
        """Where a box begins. `outer`, `k`: by part."""
        parts, indices = {"outer": outer, "k": k}, dict(self.block.at)
        return lambda source: indices[source] if isinstance(source, int) else parts[source[0]][source[1]]

    # The consumers

    def _consume(self, done: ir.Value) -> None:
        multiply = self._promoted_products if self.tile.types.is_promoted else self._products
        self.tile.result.take(self.own, self.memory, self.room, self.block, multiply(done, self.own.number))

    def _products(self, done: ir.Value, consumer: ir.Value) -> list[ir.Value]:
        """A thread's sums: 2 x 8 rows, two neighbours in each eight columns. They begin with 0 by the first product itself: where
        registers are set, ptxas would have products wait."""
        first = self._multiply(self.ring.wait(done), consumer, None)

        def one_step(number: ir.Value, sums: ir.Value) -> list[ir.Value]:
            step = add(done, number)
            after = self._multiply(self.ring.wait(step), consumer, sums)
            wait_for_products(1)
            self.ring.release(sub(step, 1), self.is_first)
            return [after]

        (sums,) = for_loop(1, self.steps, one_step, [first])
        wait_for_products(0)
        self.ring.release(add(done, self.steps - 1), self.is_first)
        return fields(sums)

    def _promoted_products(self, done: ir.Value, consumer: ir.Value) -> list[ir.Value]:
        """The same; the sums of each stage begin with 0 and are added to the others."""
        starts = [zero(self.block.sum_type)] * (self.tile.n // 2)

        def one_step(number: ir.Value, *totals: ir.Value) -> list[ir.Value]:
            step = add(done, number)
            sums = self._multiply(self.ring.wait(step), consumer, None)
            wait_for_products(0)
            self.ring.release(step, self.is_first)
            return [arith.addf(old, new) for old, new in zip(totals, fields(sums))]

        return for_loop(0, self.steps, one_step, starts)

    def _multiply(self, stage: ir.Value, consumer: ir.Value, sums: ir.Value | None) -> ir.Value:
        left, right = self.ring.matrix(stage, 0, mul(consumer, self.left.rows)), self.ring.matrix(stage, 1)
        return start_products(self.tile.types, self.tile.n, left, right, ROW_BYTES // K_BYTES, sums)
