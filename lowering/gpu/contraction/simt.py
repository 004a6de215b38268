"""A tile multiplied by ordinary instructions: each thread has a few rows and columns of the result in registers. Any type.

A thread of 16 x 16 reads 16 bytes of each of its rows and columns at once: along k, or, where the input lies along its
rows (columns), of four adjacent rows. Floats are multiplied and added in one rounding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, math

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.block import Block, Positions, ResultTile, Tile
from hlo.lowering.gpu.contraction.pipeline import (
    STAGES,
    Ring,
    RingCode,
    SharedTile,
    operands_of,
)
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.evaluate import as_float
from hlo.lowering.gpu.threads import load_several
from hlo.lowering.kernel_calls import copied
from hlo.lowering.linalg.loops import add, divided, for_loop, index, mul
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.target import Target

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
    stages = min(
        STAGES, target.shared_bytes // sum(layout.bytes for layout in operands)
    )  # tiles of a few rows have long ones
    result = ResultTile(m, n, problem.element_type(2)) if _is_word(problem) else None
    code = SimtCode(operands, stages, threads, result, across)
    return code.tile(problem, "multiply-adds of single threads", RATE)


@dataclass(frozen=True)
class SimtCode(RingCode):
    """`across`: threads with other columns of the same rows. Sums of four bytes go through shared memory."""

    across: int

    def worker(self, ring: Ring, block: Block) -> ThreadPart:
        return ThreadPart(self, ring, block)


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


class ThreadPart:
    """A thread's rows and columns of a tile."""

    def __init__(self, code: SimtCode, ring: Ring, block: Block):
        self.block, self.step = block, ring.step
        down, across = divided(block.thread, code.across)
        self.rows = Part(ring.left, down, code.threads // code.across)
        self.columns = Part(ring.right, across, code.across)
        self.count, self.width = len(self.rows.indices) * len(self.columns.indices), 1

    @property
    def positions(self) -> Positions:
        return [(row, column) for row in self.rows.indices for column in self.columns.indices]

    def multiply(self, stage: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        """A few elements along k at a time."""
        count = min(GROUP, self.rows.tile.layout.chunk, self.columns.tile.layout.chunk)

        def products(k: ir.Value, *before: ir.Value) -> Sequence[ir.Value]:
            sums: Sequence[ir.Value] = before
            for a, b in zip(self.rows.read(stage, k, count), self.columns.read(stage, k, count)):
                pairs = [(x, y) for x in a for y in b]
                sums = [_added(self.block, total, x, y) for total, (x, y) in zip(sums, pairs, strict=True)]
            return sums

        return for_loop(0, self.step, products, sums, count)


def _added(block: Block, total: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    """total + x * y; floats with one rounding."""
    if isinstance(total.type, ir.F32Type | ir.F64Type) and isinstance(x.type, ir.FloatType):
        return math.fma(as_float(total.type, x), as_float(total.type, y), total)
    return copied(block.problem.op, [*([y, x] if block.problem.left == 1 else [x, y]), total])[0]
