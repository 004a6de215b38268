"""What tiles have in common: `Tile` is how a block of threads multiplies; `Ring` a multistage pipeline, whose operands
threads copy to shared memory some steps before they are multiplied.

    start to copy steps 0 .. stages - 2
    for each step: wait for its copies; barrier; start to copy the step stages - 1 later; multiply
    wait for all; barrier: shared memory is free"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from mlir import ir
from mlir.dialects import arith, gpu, memref, nvgpu, nvvm

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import view_of
from hlo.lowering.gpu.contraction.block import Block, Positions, ResultTile, Tile, plain_spans
from hlo.lowering.gpu.contraction.problem import Problem, innermost
from hlo.lowering.gpu.threads import Index, all_of, dynamic_shared_memory, shared_view, store_several, where
from hlo.lowering.linalg.loops import add, for_loop, index, mul, position_values, sub, within, zero
from hlo.lowering.memory.storage import element_bytes

STAGES = 4
"""As long as shared memory holds them."""

Multiply = Callable[[ir.Value, list[ir.Value]], list[ir.Value]]
"""Of a stage and the sums so far: the sums with the stage's products."""


class Ring:
    """Both operands of a block in shared memory: `steps` steps along k, each of `step` elements, copied to one of
    `stages` by `threads` threads."""

    def __init__(
        self, operands: tuple[OperandLayout, OperandLayout], stages: int, threads: int, block: Block, memory: ir.Value
    ):
        left, right = operands
        self.left = SharedTile(left, block, memory, stages, 0)
        self.right = SharedTile(right, block, memory, stages, stages * left.bytes)
        self.steps, self.step = -(-block.problem.k // left.k), left.k
        self.stages, self.threads = stages, threads

    def run(self, start: list[ir.Value], multiply: Multiply) -> list[ir.Value]:
        """The sums of a thread, and all shared memory free again."""
        for ahead in range(self.stages - 1):
            if ahead < self.steps:
                self._copy(index(ahead))
            end_of_group()

        def one_step(step: ir.Value, *sums: ir.Value) -> list[ir.Value]:
            return multiply(next_stage(step, self.steps, self.stages, self._copy), list(sums))

        sums = for_loop(0, self.steps, one_step, start)
        wait_for_groups(0)
        gpu.barrier()
        return sums

    def _copy(self, step: ir.Value) -> None:
        for tile in (self.left, self.right):
            tile.copy(arith.remui(step, index(self.stages)), mul(step, self.step), self.threads)


@dataclass(frozen=True)
class RingCode:
    """The code of tiles whose operands `threads` threads copy to a ring of `stages`. The sums go through shared memory to the epilogue, if
    there is a `result`, otherwise one by one."""

    operands: tuple[OperandLayout, OperandLayout]
    stages: int
    threads: int
    result: ResultTile | None

    def tile(self, problem: Problem, unit: str, rate: float) -> Tile:
        m, n = (layout.count for layout in self.operands)
        stages = self.stages * sum(layout.bytes for layout in self.operands)
        shared = max(stages, self.result.bytes if self.result else 0)
        return Tile(problem, m, n, self.threads, unit, rate, shared, self, plain_spans(problem, m, n), problem.k)

    def worker(self, ring: Ring, block: Block) -> Worker:
        """The code of a thread."""
        raise NotImplementedError

    def emit(self, block: Block, maps: Sequence[ir.Value]) -> None:
        memory = dynamic_shared_memory()
        ring = Ring(self.operands, self.stages, self.threads, block, memory)
        worker = self.worker(ring, block)
        sums = ring.run([zero(block.sum_type)] * worker.count, worker.multiply)
        if self.result is None:
            for (row, column), total in zip(worker.positions, sums, strict=True):
                block.finish(row, column, lambda total=total: [total])  # type: ignore[misc]
            return
        view = self.result.view(memory)
        self.result.write(view, worker.positions, sums, worker.width)
        gpu.barrier()
        self.result.finish(view, block, block.thread, self.threads)


class Worker(Protocol):
    """A thread, with `count` sums of the tile, `width` adjacent ones at each position."""

    count: int
    width: int

    @property
    def positions(self) -> Positions: ...

    def multiply(self, stage: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        """The sums with the products of a stage."""


def operands_of(
    problem: Problem, m: int, n: int, step: int, transposable: tuple[int, ...] = (2,)
) -> tuple[OperandLayout, OperandLayout]:
    """Both operands of a tile in shared memory, `step` elements along k."""
    left, right = ((problem.left, m), (problem.right, n))
    return operand_layout(problem, *left, step, transposable), operand_layout(problem, *right, step, transposable)


def next_stage(step: ir.Value, steps: Index, stages: int, copy: Callable[[ir.Value], None]) -> ir.Value:
    """Waits for the copies of a step and starts those of the step whose stage is free now, if there is one; the stage
    that the step is in."""
    wait_for_groups(stages - 2)
    gpu.barrier()
    later = add(step, stages - 1)
    with where(within(later, steps)):
        copy(later)
    end_of_group()
    return arith.remui(step, index(stages))


def end_of_group() -> None:
    """Of the copies that this thread has started since the last one."""
    nvvm.cp_async_commit_group()


def wait_for_groups(most: int) -> None:
    """Until at most so many groups of this thread's copies are under way."""
    nvvm.cp_async_wait_group(most)


# Tiles of a contraction's inputs in shared memory, as ldmatrix reads them: rows of 16-byte chunks, swizzled.
#
# An input that is contiguous along k lies as rows along k; one that is contiguous along its rows (or columns) as it is in memory, if who
# reads it can transpose elements of its size (ldmatrix: those of two bytes). Chunks come by cp.async, 16 bytes a thread, or, where addresses are
# not multiples of 16, element by element. What is outside the input is 0.


CHUNK = 16
"""Bytes that one instruction copies, and that a lane of ldmatrix points to."""

BANK_BYTES = 128
"""Bytes of all banks of shared memory."""


@dataclass(frozen=True)
class OperandLayout:
    """One input of a tile: `count` rows (or columns) by `k` elements of `size` bytes. `dimensions`: the contraction's.
    `is_k_major`: how it lies in shared memory; `is_chunked`: whether 16 bytes can be copied at once."""

    number: int
    dimensions: tuple[int, ...]
    extent: int
    count: int
    k: int
    size: int
    is_k_major: bool
    is_chunked: bool

    @property
    def chunk(self) -> int:
        """Elements of 16 bytes."""
        return CHUNK // self.size

    @property
    def shape(self) -> tuple[int, int]:
        """Rows in shared memory, and elements in each."""
        return (self.count, self.k) if self.is_k_major else (self.k, self.count)

    @property
    def chunks(self) -> int:
        """In a row."""
        return self.shape[1] // self.chunk

    @property
    def bytes(self) -> int:
        return self.count * self.k * self.size


def operand_layout(
    problem: Problem, number: int, count: int, k: int, transposable: tuple[int, ...] = (2,)
) -> OperandLayout:
    """How the tile of an input lies in shared memory, and how it comes there. `transposable`: sizes of elements that may lie along the
    rows (or columns): who reads the tile can transpose them."""
    is_left = number == problem.left
    dimensions = problem.rows if is_left else problem.columns
    extent = problem.m if is_left else problem.n
    size = element_bytes(problem.element_type(number))
    inner, sizes = innermost(problem.nest.maps[number]), problem.nest.sizes
    is_chunked = (
        is_row_major(problem.op.operands[number])
        and inner in (*dimensions[-1:], problem.k_dims[-1])
        and sizes[inner] % (CHUNK // size) == 0
    )
    is_k_major = not (is_chunked and inner in dimensions[-1:] and size in transposable)
    is_chunked = is_chunked and is_k_major == (inner == problem.k_dims[-1])
    return OperandLayout(number, dimensions, extent, count, k, size, is_k_major, is_chunked)


def is_row_major(value: ir.Value) -> bool:
    """Row-major in memory, or an aligned part of what is, and without zeros around it along the innermost dimension."""
    view = view_of(value)
    if view is None or (view.is_part and not view.is_aligned(element_bytes(value.type.element_type))):
        return False
    return not view.low or view.shape[-1] == value.type.shape[-1]


class SharedTile:
    """The tiles of an input in `stages` of shared memory: a memref of [stage, row, element]."""

    def __init__(self, layout: OperandLayout, block: Block, memory: ir.Value, stages: int, offset: int):
        self.layout, self.block = layout, block
        kind = block.problem.element_type(layout.number)
        self.memory = shared_view(memory, [stages, *layout.shape], kind, offset)
        self.first = block.first_row if self.is_left else block.first_column

    @property
    def is_left(self) -> bool:
        return self.layout.number == self.block.problem.left

    def swizzled(self, row: ir.Value, chunk: ir.Value) -> ir.Value:
        """The element where a chunk of a row is: eight rows below each other have it in different banks."""
        rows_in_banks = max(1, BANK_BYTES // (self.layout.chunks * CHUNK))
        swizzle = arith.remui(arith.divui(row, index(rows_in_banks)), index(min(8, self.layout.chunks)))
        return mul(arith.xori(chunk, swizzle), self.layout.chunk)

    def copy(self, stage: ir.Value, k: ir.Value, threads: int) -> None:
        """Starts to copy the tile at a k: each thread takes some chunks. Those of elements are there at once."""
        layout = self.layout
        rows, chunks = layout.shape[0], layout.chunks
        assert rows * chunks % threads == 0, "all threads take as many"
        for number in range(rows * chunks // threads):
            position = add(self.block.thread, number * threads)
            if layout.is_chunked:
                row, chunk = position_values(position, [rows, chunks])
                self._copy_chunk(stage, row, chunk, k)
            else:  # neighbouring threads have neighbouring rows
                chunk, row = position_values(position, [chunks, rows])
                self._copy_elements(stage, row, chunk, k)

    def _copy_chunk(self, stage: ir.Value, row: ir.Value, chunk: ir.Value, k: ir.Value) -> None:
        layout = self.layout
        first = mul(chunk, layout.chunk)
        outer, inner = (row, first) if layout.is_k_major else (first, row)
        inside = self._set(add(self.first, outer), add(k, inner))
        source, indices, inside = self._source(inside)
        count = index(layout.chunk)
        if inside is not None:
            count = arith.select(inside, count, index(0))
        nvgpu.device_async_copy(
            self.memory,
            [stage, row, self.swizzled(row, chunk)],
            source,
            indices,
            ir.IntegerAttr.get(ir.IndexType.get(), layout.chunk),
            src_elements=count,
            bypass_l1=True,
        )

    def _copy_elements(self, stage: ir.Value, row: ir.Value, chunk: ir.Value, k: ir.Value) -> None:
        layout = self.layout
        first = mul(chunk, layout.chunk)
        found = []
        for lane in range(layout.chunk):
            inner = add(first, lane)
            inside = self._set(add(self.first, row), add(k, inner))
            source, indices, inside = self._source(inside)
            value = memref.load(source, indices)
            found.append(value if inside is None else arith.select(inside, value, zero(value.type)))
        store_several(self.memory, [stage, row, self.swizzled(row, chunk)], found)

    def _source(self, inside: ir.Value | None) -> tuple[ir.Value, list[ir.Value], ir.Value | None]:
        """The array in memory, the indices there, and whether it is inside; the beginning where it is not."""
        number, block = self.layout.number, self.block
        value, indices = block.problem.op.operands[number], block.indices(number)
        view = view_of(value)
        if view is None or not view.low:
            return block.values[value], indices, inside
        checks = [] if inside is None else [inside]
        for n, (low, size, padded) in enumerate(zip(view.low, view.shape, value.type.shape)):
            if size != padded:
                indices[n] = sub(indices[n], low)
                checks.append(within(indices[n], size))
        inside = all_of(checks)
        begin = index(0)
        return block.values[value], [arith.select(inside, one, begin) for one in indices], inside

    def _set(self, outer: ir.Value, k: ir.Value) -> ir.Value | None:
        """Sets the indices in the input: its beginning where this is outside; gives whether it is inside, None for always."""
        layout, p = self.layout, self.block.problem
        checks = [
            within(position, size)
            for position, size, step in ((outer, layout.extent, layout.count), (k, p.k, layout.k))
            if size % step
        ]
        inside = all_of(checks) if checks else None
        if inside is not None:
            outer, k = (arith.select(inside, position, index(0)) for position in (outer, k))
        self.block.set(layout.dimensions, outer)
        self.block.set(p.k_dims, k)
        return inside
