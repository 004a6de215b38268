"""A tile multiplied by ordinary instructions: each thread has a few rows and columns of the result in registers. Any type.

A thread of 16 x 16 reads 16 bytes of each of its rows and columns at once: along k, or, where the input lies along its
rows (columns), of four adjacent rows. Floats are multiplied and added in one rounding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, gpu, math

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.block import Block, plain_spans
from hlo.lowering.gpu.contraction.pipeline import (
    STAGES,
    OperandLayout,
    Ring,
    SharedTile,
    Tile,
    operands_of,
)
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.result_tile import ResultTile
from hlo.lowering.gpu.evaluate import as_type
from hlo.lowering.gpu.threads import dynamic_shared_memory
from hlo.lowering.gpu.wide_access import load_several
from hlo.lowering.kernel_calls import copied
from hlo.lowering.linalg.loops import add, divided, for_loop, index, mul, zero
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.target import Target

SIDE = 16
"""Threads down, and across, of a square tile."""

FEW = 8
"""Rows (or columns) up to which tiles have no more: FEW x LONG, by 4 x 32 threads."""

LONG, FEW_THREADS, LONG_THREADS = 128, 4, 32

MUCH = 1 << 21
"""Elements of the larger input from which such tiles, which are fewer, fill a card: with parts of k."""

STEP_BYTES = 64
"""How much of k a stage holds."""

GROUP = 4
"""Elements that are read at once, at most."""

TRANSPOSABLE = (4, 8)
"""Sizes of elements that may lie along rows or columns in shared memory."""

RATE = 0.3e12
"""About how many operations a second one multiprocessor does."""


def simt_tile(problem: Problem, target: Target) -> Tile:
    """Larger tiles read less memory for each result; small problems need small ones, so that there are enough blocks."""
    size = problem.batches * problem.m * problem.n
    m = n = 128 if size >= 1 << 21 else 64 if size >= 1 << 17 else 32
    down = across = SIDE
    if _is_slim(problem):
        few, many = (FEW, FEW_THREADS), (LONG, LONG_THREADS)
        (m, down), (n, across) = (few, many) if problem.m <= FEW else (many, few)
    threads = down * across
    small, large = sorted(element_bytes(problem.element_type(number)) for number in (0, 1))
    step = STEP_BYTES // large
    while min(m, n) * step * small < 16 * threads:  # every thread has whole chunks of 16 bytes of both operands to copy
        step *= 2
    operands = operands_of(problem, m, n, step, TRANSPOSABLE)
    stage = sum(layout.bytes for layout in operands)
    stages = min(STAGES, target.shared_bytes // stage)  # tiles of a few rows have long ones
    result = ResultTile(m, n, problem.element_type(2)) if _is_word(problem) else None
    shared = max(stages * stage, result.bytes if result else 0)
    code, spans = SimtCode(down, across, operands, stages, result), plain_spans(problem, m, n)
    return Tile(problem, m, n, threads, "multiply-adds of single threads", RATE, shared, code, spans, problem.k)


@dataclass(frozen=True)
class SimtCode:
    """A tile by `down` x `across` threads. `result`: the sums' way to the epilogue through shared memory, if they have four bytes."""

    down: int
    across: int
    operands: tuple[OperandLayout, OperandLayout]
    stages: int
    result: ResultTile | None

    def emit(self, block: Block, maps: Sequence[ir.Value]) -> None:
        memory, threads = dynamic_shared_memory(), self.down * self.across
        ring = Ring(self.operands, self.stages, threads, block, memory)
        down, across = divided(block.thread, self.across)
        rows, columns = Part(ring.left, down, self.down), Part(ring.right, across, self.across)
        start = [zero(block.sum_type)] * (len(rows.indices) * len(columns.indices))
        sums = ring.run(start, lambda stage, sums: multiply(block, rows, columns, stage, ring.step, sums))
        if self.result is not None:
            view = self.result.view(memory)
            self.result.write_each(view, rows.indices, columns.indices, sums)
            gpu.barrier()
            self.result.finish(view, block, block.thread, threads)
            return
        for number, total in enumerate(sums):
            row, column = divmod(number, len(columns.indices))
            block.finish(rows.indices[row], columns.indices[column], lambda total=total: [total])  # type: ignore[misc]


def _is_slim(problem: Problem) -> bool:
    """A few rows (or columns), for which a large input is read: it is what takes the time."""
    few, many = sorted((problem.m, problem.n))
    alike = problem.element_type(0) == problem.element_type(1)
    return few <= FEW and many * problem.k >= MUCH and alike and _is_word(problem)


def _is_word(problem: Problem) -> bool:
    """Whether sums have four bytes, and go through shared memory to the epilogue."""
    return element_bytes(problem.element_type(2)) == 4


class Part:
    """A thread's rows (or columns) of a tile, and how their elements are read. `member`: which one of so many `threads` that share
    them. Rows along k are taken one by one, others as many at once as 16 bytes hold."""

    def __init__(self, tile: SharedTile, member: ir.Value, threads: int = SIDE):
        self.tile, layout = tile, tile.layout
        self.lanes = 1 if layout.is_k_major else min(GROUP, layout.chunk, layout.count // threads)
        steps = range(0, layout.count, threads * self.lanes)
        first = mul(member, self.lanes) if self.lanes > 1 else member
        self.groups = [add(first, step) for step in steps]
        """Where groups of neighbouring rows begin."""
        self.indices = [add(group, lane) for group in self.groups for lane in range(self.lanes)]

    def read(self, stage: ir.Value, k: ir.Value, count: int) -> Iterator[list[ir.Value]]:
        """For each of `count` steps along k the elements of all rows. Those of a step alone are read when they are asked
        for, which takes fewer registers."""
        if self.tile.layout.is_k_major:
            yield from map(list, zip(*(self._vector(stage, row, k, count) for row in self.indices)))
            return
        for step in range(count):
            row = add(k, step)
            yield [value for group in self.groups for value in self._vector(stage, row, group, self.lanes)]

    def _vector(self, stage: ir.Value, row: ir.Value, first: ir.Value, count: int) -> list[ir.Value]:
        """Neighbours in a row of shared memory, all in one chunk."""
        chunk = index(self.tile.layout.chunk)
        column = self.tile.swizzled(row, arith.divui(first, chunk))
        column = add(column, arith.remui(first, chunk))
        return load_several(self.tile.memory, [stage, row, column], count)


def multiply(
    block: Block, rows: Part, columns: Part, stage: ir.Value, extent: int, sums: list[ir.Value]
) -> list[ir.Value]:
    """Adds the products of the first `extent` elements along k of a stage, a few at a time."""
    count = min(GROUP, rows.tile.layout.chunk, columns.tile.layout.chunk)

    def products(k: ir.Value, *before: ir.Value) -> Sequence[ir.Value]:
        sums: Sequence[ir.Value] = before
        for a, b in zip(rows.read(stage, k, count), columns.read(stage, k, count)):
            pairs = [(x, y) for x in a for y in b]
            sums = [_added(block, total, x, y) for total, (x, y) in zip(sums, pairs, strict=True)]
        return sums

    return for_loop(0, extent, products, sums, count)


def _added(block: Block, total: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    """total + x * y; floats with one rounding."""
    if isinstance(total.type, ir.F32Type | ir.F64Type) and isinstance(x.type, ir.FloatType):
        return math.fma(as_type(total.type, x), as_type(total.type, y), total)
    return copied(block.problem.op, [*([y, x] if block.problem.left == 1 else [x, y]), total])[0]
