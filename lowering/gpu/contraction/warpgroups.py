"""Tiles multiplied by warpgroups of sm_90a: for which problems, and how large. The code is in warpgroup_kernel.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.pipeline import Tile
from hlo.lowering.gpu.contraction.problem import Problem, widenings
from hlo.lowering.gpu.contraction.result_tile import StagedResult
from hlo.lowering.gpu.contraction.spans import Span
from hlo.lowering.gpu.contraction.warpgroup_kernel import WarpgroupKernel
from hlo.lowering.gpu.contraction.warpgroup_sides import CONSUMERS, ROWS, Side, Sides, sides_of
from hlo.lowering.gpu.hopper_ops import WARPGROUP, Product
from hlo.lowering.gpu.tensor_maps import TensorMap
from hlo.lowering.vector.target import Target

LEAST_BUSY = {256: 1.0, 128: 0.48}
"""By columns of a tile: the part of the multiprocessors that must have one."""

COSTS = {256: 2.0, 128: 1.12}
"""About how long a tile takes, by its columns: narrow ones read more shared memory for each product."""


@dataclass(frozen=True)
class Kind:
    """What an input's elements are: wgmma's name, and their size in bytes."""

    name: str
    size: int


KINDS: Mapping[str, Kind] = {
    "bf16": Kind("bf16", 2),
    "f16": Kind("f16", 2),
    "tf32": Kind("tf32", 4),
    "f8E4M3FN": Kind("e4m3", 1),
    "f8E5M2": Kind("e5m2", 1),
}
"""Floats, by Problem.kind."""

SIGNS = {"arith.extsi": Kind("s8", 1), "arith.extui": Kind("u8", 1)}
"""Bytes, by how they are widened."""


def product_of(problem: Problem) -> Product | None:
    """wgmma on the problem's types: floats of one size and format (f8: of both) with sums in f32, bytes with sums in i32."""
    numbers, total = (problem.left, problem.right), str(problem.element_type(2))
    if total == "i32" and all(problem.kind(n) == "i8" for n in numbers):
        widened = widenings(problem.op)
        left, right = (SIGNS[widened[n]] for n in numbers)
        return Product(left.name, right.name, "i32", 1)
    if total != "f32" or any(problem.kind(n) not in KINDS for n in numbers):
        return None
    left, right = (KINDS[problem.kind(n)] for n in numbers)
    same = left == right or (left.size == right.size == 1)
    return Product(left.name, right.name, "f32", left.size) if same else None


def columns_for(problem: Problem, product: Product, target: Target) -> int | None:
    """Of a tile, if inputs lie as they should."""
    rows = -(-problem.m // (CONSUMERS * ROWS)) * problem.batches
    counts = {columns: rows * -(-problem.n // columns) for columns in LEAST_BUSY if columns <= product.most_columns}
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
    product: Product
    left: Side
    right: Side
    depth: Span
    m: int = CONSUMERS * ROWS
    threads: int = (1 + CONSUMERS) * WARPGROUP

    @staticmethod
    def of(problem: Problem, target: Target) -> WarpgroupTile | None:
        """For types that wgmma has, inputs in memory as TMA and wgmma want them, and enough tiles."""
        product = product_of(problem)
        if product is None or columns_for(problem, product, target) is None:
            return None
        found: dict[int, Sides] = {}
        for width in (one for one in LEAST_BUSY if one <= product.most_columns):
            sides = sides_of(problem, width, product.size)
            if sides is not None:
                found[width] = sides
        columns = _quickest(
            {n: problem.batches * one.left.span.tiles * one.right.span.tiles for n, one in found.items()}, target
        )
        if columns is None:
            return None
        sides = found[columns]
        return WarpgroupTile(target, columns, product, sides.left, sides.right, sides.depth)

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
        return StagedResult(ir.F32Type.get() if self.product.sums == "f32" else ir.IntegerType.get_signless(32))

    @property
    def stages(self) -> int:
        return (self.target.shared_bytes - CONSUMERS * self.result.part.bytes) // self.stage_bytes

    def shared_bytes(self, problem: Problem) -> int:
        return self.stages * self.stage_bytes + CONSUMERS * self.result.part.bytes

    def emit(self, block: Block) -> None:
        WarpgroupKernel(self, block).emit()
