"""A tile of f64 multiplied by tensor cores: mma.sync on 8 rows, 8 columns and a depth of 4 (sm_80 and later).

A lane has one element of each input: that of row (column) lane / 4 at depth lane % 4. It reads 16 bytes, two neighbours along the
depth; the first ones make one product, the second ones another: the order of the sum is free. Layout of the fragments: PTX ISA,
"Matrix Fragments for mma.m8n8k4 with .f64"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.pipeline import STAGES, PipelinedTile
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, dynamic_shared_memory
from hlo.lowering.gpu.control_flow import index_constant
from hlo.lowering.gpu.element import load_several

WARP = 32
SIDE = 8
"""Rows and columns of an instruction."""

STEP = 8
"""Elements along the depth of a stage: 64 bytes, two instructions."""

ENOUGH_BLOCKS = 128
"""About one for each multiprocessor."""


@dataclass(frozen=True)
class DoubleTile(PipelinedTile):
    """`m` x `n` results by `warps_m` x `warps_n` warps."""

    turns = ()

    m: int
    n: int
    warps_m: int
    warps_n: int

    @staticmethod
    def of(problem: Problem) -> DoubleTile | None:
        """The largest tile of which there are enough blocks."""
        if any(problem.kind(n) != "f64" for n in (0, 1, 2)):
            return None
        for m, n, warps_m, warps_n in ((128, 64, 4, 2), (64, 64, 2, 2)):
            if problem.batches * -(-problem.m // m) * -(-problem.n // n) >= ENOUGH_BLOCKS:
                return DoubleTile(m, n, warps_m, warps_n)
        return DoubleTile(32, 32, 1, 2)

    @property
    def threads(self) -> int:
        return self.warps_m * self.warps_n * WARP

    @property
    def unit(self) -> str:
        return f"mma.sync on f64, {self.warps_m * self.warps_n} warps, {STAGES} stages of {STEP} along the depth"

    def depth_step(self, problem: Problem) -> int:
        return STEP

    def shared_bytes(self, problem: Problem) -> int:
        return self.stage_bytes(problem)

    def emit(self, block: Block) -> None:
        ring = self.pipeline(block, dynamic_shared_memory())
        warp, lane = (f(block.thread, index_constant(WARP)) for f in (arith.divui, arith.remui))
        down, across = (f(warp, index_constant(self.warps_n)) for f in (arith.divui, arith.remui))
        rows = _places(down, self.m // self.warps_m)
        columns = _places(across, self.n // self.warps_n)
        start = [block.initial()] * (2 * len(rows) * len(columns))

        def multiply(stage: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
            lefts = [_pair(ring.left, stage, lane, row) for row in rows]
            rights = [_pair(ring.right, stage, lane, column) for column in columns]
            return _products(lefts, rights, sums)

        _finish(block, lane, rows, columns, ring.run(start, multiply))


def _places(number: ir.Value, size: int) -> list[ir.Value]:
    """Where the instructions of a warp begin, which has so many rows (or columns)."""
    first = arith.muli(number, index_constant(size))
    return [arith.addi(first, index_constant(place)) for place in range(0, size, SIDE)]


def _pair(tile: SharedTile, stage: ir.Value, lane: ir.Value, first: ir.Value) -> list[ir.Value]:
    """Two neighbours along the depth of the lane's row (column)."""
    row = arith.addi(first, arith.divui(lane, index_constant(4)))
    place = tile.swizzled(row, arith.remui(lane, index_constant(4)))
    return load_several(tile.memory, [stage, row, place], 2)


def _products(
    lefts: Sequence[list[ir.Value]], rights: Sequence[list[ir.Value]], sums: list[ir.Value]
) -> list[ir.Value]:
    for part in range(2):
        blocks = [(left[part], right[part]) for left in lefts for right in rights]
        for number, (left, right) in enumerate(blocks):
            sums[2 * number : 2 * number + 2] = _product(left, right, sums[2 * number : 2 * number + 2])
    return sums


def _product(left: ir.Value, right: ir.Value, sums: Sequence[ir.Value]) -> list[ir.Value]:
    parse = ir.Attribute.parse
    attributes = {
        "shape": parse("#nvvm.shape<m = 8, n = 8, k = 4>"),
        "layoutA": parse("#nvvm.mma_layout<row>"),
        "layoutB": parse("#nvvm.mma_layout<col>"),
        "multiplicandAPtxType": parse("#nvvm.mma_type<f64>"),
        "multiplicandBPtxType": parse("#nvvm.mma_type<f64>"),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 2]),
    }
    kind, result = ir.F64Type.get(), ir.Type.parse("!llvm.struct<(f64, f64)>")
    made = ir.Operation.create("nvvm.mma.sync", results=[result], operands=[left, right, *sums], attributes=attributes)
    return [llvm.extractvalue(kind, made.results[0], ir.DenseI64ArrayAttr.get([n])) for n in range(2)]


def _finish(
    block: Block, lane: ir.Value, rows: Sequence[ir.Value], columns: Sequence[ir.Value], sums: Sequence[ir.Value]
) -> None:
    """A lane has two neighbours of a row, which are stored together where they may be."""
    four, width = index_constant(4), block.end.width(2)
    inner = arith.muli(arith.remui(lane, four), index_constant(2))
    for number, (first, along) in enumerate((row, column) for row in rows for column in columns):
        row, column = arith.addi(first, arith.divui(lane, four)), arith.addi(along, inner)
        for side in range(0, 2, width):
            found = list(sums[2 * number + side : 2 * number + side + width])
            place = arith.addi(column, index_constant(side))
            block.finish(row, place, lambda found=found: found)  # type: ignore[misc]
