"""A tile multiplied by tensor cores: a multistage pipeline (pipeline.py), ldmatrix, mma.sync (sm_80 and later).

Every instruction multiplies 16 rows by 8 columns, 32 bytes deep: 16 elements of bf16 or f16 (sums in f32), 32 of i8 (i32), 8 of
f32 that the program allows to be rounded to tf32 (f32). Layout of the fragments, by lane: PTX ISA, "Matrix Fragments for
mma.m16n8k16", "m16n8k32", "m16n8k8"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import nvgpu, nvvm, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.block import Block, Positions, ResultTile, Tile, fragment_positions
from hlo.lowering.gpu.contraction.pipeline import (
    CHUNK,
    STAGES,
    Ring,
    RingCode,
    SharedTile,
    operands_of,
)
from hlo.lowering.gpu.contraction.problem import MatrixTypes, Problem, matrix_types
from hlo.lowering.gpu.threads import WARP, fields, instruction_attribute, structure
from hlo.lowering.linalg.loops import Index, add, divided, mul, positions
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.target import Target

M, N, K_BYTES = 16, 8, 32
"""Of one instruction."""

STEP_BYTES = 64
"""How much of k a stage holds."""

LEAST_BUSY = 0.95
"""The part of the multiprocessors that must have a tile of a size."""

RATE = 9e12
"""About how many operations a second one multiprocessor does, times the bytes of an element."""

SLIM = 128
"""Columns of a tile of few rows."""


def mma_sync(
    types: MatrixTypes, a: Sequence[ir.Value], b: Sequence[ir.Value], sums: Sequence[ir.Value]
) -> list[ir.Value]:
    """The sums with the products of two fragments."""
    layouts = (instruction_attribute("mma_layout", name) for name in ("row", "col"))
    left, right = (instruction_attribute("mma_type", kind) for kind in (types.left, types.right))
    made = nvvm.mma_sync(
        structure([types.sums] * 4),
        instruction_attribute("shape", f"m = {M}, n = {N}, k = {K_BYTES // types.size}"),
        *layouts,
        *([_register(types, v) for v in operand] for operand in (a, b)),
        sums,
        int_overflow_behavior=instruction_attribute("mma_int_overflow", "wrapped") if types.sums == "i32" else None,
        multiplicand_a_ptx_type=left,
        multiplicand_b_ptx_type=right,
    )
    return fields(made)


def _register(types: MatrixTypes, neighbours: ir.Value) -> ir.Value:
    """mma.sync takes two f16 as a vector, all else as an i32; of an f32 it ignores the last bits, so that is rounded."""
    if types.left == "f16":
        return neighbours
    i32 = ir.IntegerType.get_signless(32)
    if types.left == "tf32":
        to_nearest = instruction_attribute("fp_rnd_mode", "rna")
        return nvvm.convert_float_to_tf32(i32, vector.extract(neighbours, [], [0]), rnd=to_nearest)
    return word_of(neighbours)


def word_of(neighbours: ir.Value) -> ir.Value:
    """A vector of 32 bits as an i32."""
    word = ir.VectorType.get([1], ir.IntegerType.get_signless(32))
    return vector.extract(vector.bitcast(word, neighbours), [], [0])


def tensor_core_tile(problem: Problem, target: Target) -> Tile | None:
    """The largest tile of which there are enough: larger ones read less memory for each result. None for other types."""
    types = matrix_types(problem)
    if types is None or types.is_promoted:
        return None
    sizes = [(128, 128, 2, 4), (128, 64, 4, 2), (64, 64, 2, 2)]
    counts = {one: problem.batches * -(-problem.m // one[0]) * -(-problem.n // one[1]) for one in sizes}
    enough = LEAST_BUSY * target.multiprocessors
    m, n, warps_m, warps_n = next((one for one, count in counts.items() if count >= enough), (32, 32, 1, 2))
    if min(problem.m, problem.n) <= M and max(problem.m, problem.n) > SLIM:
        m, n, warps_m, warps_n = (M, SLIM, 1, 2) if problem.m <= M else (SLIM, M, 2, 1)
    step, warps = STEP_BYTES // types.size, warps_m * warps_n
    unit = f"mma.sync, {warps} warps, {STAGES} stages of {step} along k"
    rate = RATE / max(element_bytes(problem.element_type(number)) for number in (0, 1))
    operands, result = operands_of(problem, m, n, step), ResultTile(m, n, problem.element_type(2))
    code = TensorCoreCode(operands, STAGES, warps * WARP, result, types, (m // warps_m, n // warps_n))
    return code.tile(problem, unit, rate)


@dataclass(frozen=True)
class TensorCoreCode(RingCode):
    """`part`: rows and columns of a warp."""

    types: MatrixTypes
    part: tuple[int, int]

    def worker(self, ring: Ring, block: Block) -> WarpPart:
        return WarpPart(self, ring, block)


class WarpPart:
    """A thread's part of a tile: fragments of its warp. `rows`, `columns`: where they begin, from the warp's `corner` on."""

    def __init__(self, code: TensorCoreCode, ring: Ring, block: Block):
        self.types, self.ring, (m, n) = code.types, ring, code.part
        warp, self.lane = divided(block.thread, WARP)
        row, column = divided(warp, ring.right.layout.count // n)
        self.corner = mul(row, m), mul(column, n)
        self.rows, self.columns = range(0, m, M), range(0, n, N)
        self.count, self.width = 4 * len(self.rows) * len(self.columns), 2

    @property
    def positions(self) -> Positions:
        return fragment_positions(self.lane, self.corner, self.rows, self.columns)

    def multiply(self, stage: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        for part in range(STEP_BYTES // K_BYTES):
            lefts = [[fragment(self.ring.left, stage, self.lane, add(self.corner[0], i), part)] for i in self.rows]
            right = partial(fragment, self.ring.right, stage, self.lane, part=part, corner=self.corner[1])
            add_products(self.types, lefts, right, len(self.columns), sums)
        return sums


def add_products(
    types: MatrixTypes,
    lefts: Sequence[Sequence[Sequence[ir.Value]]],
    right: Callable[[int], list[ir.Value]],
    columns: int,
    sums: list[ir.Value],
) -> None:
    """Adds the products of one part of k in place. `lefts`: fragments by tile of rows, whose terms are added one after the other;
    `right`: two fragments from a column on; `sums`: four for each tile and each eight columns, of which the first `columns` are wanted."""
    across = len(sums) // 4 // len(lefts)
    for pair in range(0, columns, 2):
        both = right(pair * N)
        for tile, terms in enumerate(lefts):
            for half in range(2):
                at = slice(4 * (tile * across + pair + half), 4 * (tile * across + pair + half + 1))
                for left in terms:
                    sums[at] = mma_sync(types, left, both[2 * half : 2 * half + 2], sums[at])


def fragment(
    tile: SharedTile, stage: ir.Value, lane: ir.Value, first: Index, part: int, corner: Index = 0
) -> list[ir.Value]:
    """Four 8 x 8 matrices (of two bytes) by one ldmatrix, 32 bytes deep: the rows of one instruction, or the columns of two, from `first`
    on, counted from `corner`. Each lane points to a row of one of them."""
    layout, first = tile.layout, add(corner, first)
    high, middle, low = positions(lane, [2, 2, 8])
    is_row_first = (
        tile.is_left != layout.is_k_major
    )  # the second of the four is the next chunk of the same rows in shared memory
    across, down = (middle, high) if is_row_first else (high, middle)
    row = add(low, mul(down, 8))
    if layout.is_k_major:
        row = add(first, row)
        chunk = add(across, part * K_BYTES // CHUNK)
    else:
        row = add(row, part * K_BYTES // layout.size)
        chunk = add(divided(first, layout.chunk)[0], across)
    kind = ir.VectorType.get([4, 4 // layout.size], tile.block.problem.element_type(layout.number))
    indices = [stage, row, tile.swizzled(row, chunk)]
    four = nvgpu.ldmatrix(kind, tile.memory, indices, not layout.is_k_major, 4)
    return [vector.extract(four, [], [n]) for n in range(4)]
