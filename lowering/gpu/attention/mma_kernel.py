"""Attention by mma.sync, forward and backward: scores, and what the program makes of them, stay in registers.

    copy the block's rows of each factor; start to copy the first step's keys, and the rows of the right input
    for each step: wait for its tiles; barrier; start to copy the next ones
                   factors = rows x keys; what the program makes of them; the combiner, which multiplies that by the right input

The factors' fragments are, converted, the left fragments of the last product: the layouts of sums and of left inputs are the same (PTX ISA,
"Matrix Fragments for mma.m16n8k16"). Dao, "FlashAttention-2" (2023)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, math, vector

from hlo.lowering.gpu.attention.evaluate import f32
from hlo.lowering.gpu.attention.expressions import Product
from hlo.lowering.gpu.attention.plan import DEPTH, Plan
from hlo.lowering.gpu.attention.tile_kernel import TileKernel
from hlo.lowering.gpu.contraction.pipeline import next_stage, wait_for_groups
from hlo.lowering.gpu.contraction.tensor_cores import (
    Instruction,
    M,
    N,
    add_products,
    left_fragment,
    right_fragment,
)
from hlo.lowering.gpu.element import Values
from hlo.lowering.linalg.loops import index

HALVES = (0, 8)
"""Rows of a thread's fragment of sums."""


def fragment_places(count: int, columns: int) -> list[tuple[int, int]]:
    """Row and column of each element of fragments, by their number among those of a thread; `columns` fragments are beside each other."""
    return [(n // (4 * columns) * 2 + n % 4 // 2, n // 4 % columns * 2 + n % 2) for n in range(count)]


class MmaKernel(TileKernel):
    """The code of a block of threads. A warp has `cut.tiles` times 16 rows; `corner`: its first one. `kept`: fragments of rows that stay in
    registers through all steps, by factor, tile and part of the depth."""

    neighbours = 2

    def __init__(self, plan: Plan, values: Values):
        super().__init__(plan, values)
        self.corner = arith.muli(self.warp, index(plan.cut.tiles * M))
        self.tiles, self.columns = range(plan.cut.tiles), plan.cut.keys // N
        self.count = plan.cut.tiles * plan.width // N * 4
        self.kept: dict[tuple[Product, int, int], list[ir.Value]] = {}

    def _numbers(self) -> list[ir.Value]:
        row = arith.addi(self.block.first_row, arith.addi(self.corner, arith.divui(self.lane, index(4))))
        return [arith.addi(row, index(tile * M + half)) for tile in self.tiles for half in HALVES]

    def _prepare(self) -> None:
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        for one, p in self.attention.factors.items():
            if p.k <= self.plan.most_kept:
                for tile in self.tiles:
                    self.kept |= {(one, tile, part): self._rows(one, tile, part) for part in self._parts(one)}

    def _rows(self, one: Product, tile: int, part: int) -> list[ir.Value]:
        """A left fragment of a factor."""
        if (one, tile, part) in self.kept:
            return self.kept[one, tile, part]
        return left_fragment(self.lefts[one], index(0), self.lane, self.corner, tile * M, part)

    def _parts(self, one: Product) -> range:
        """Of a factor's depth."""
        return range(-(-self.attention.factors[one].k // DEPTH))

    def _copy_right(self, stage: ir.Value, first: ir.Value) -> None:
        if self.plan.inputs.last is not None and not self.plan.inputs.last.is_shared:
            self.right.copy(stage, first, self.plan.threads)

    # One step

    def _products(self, number: ir.Value) -> dict[Product, list[ir.Value]]:
        stage = next_stage(number, self.most, self.plan.stages, self._copy)
        return {one: self._of_factor(one, stage) for one in self.attention.factors}

    def _of_factor(self, one: Product, stage: ir.Value) -> list[ir.Value]:
        """For each tile of a warp's rows, for each eight keys of a stage, a fragment of four."""
        p = self.attention.factors[one]
        kind = p.kind(p.right)
        sums = [f32(0.0)] * (len(self.tiles) * self.columns * 4)
        for part in self._parts(one):
            lefts = [[self._rows(one, tile, part)] for tile in self.tiles]
            right = partial(right_fragment, self.rights[one], stage, self.lane, part=part)
            add_products(Instruction(kind, kind, "f32", DEPTH), lefts, right, self.columns, sums)
        return sums

    def _groups(self, first: ir.Value) -> list[ir.Value]:
        """A lane has two neighbours of each eight keys."""
        offset = arith.muli(arith.remui(self.lane, index(4)), index(2))
        return [arith.addi(first, arith.addi(offset, index(column * N))) for column in range(self.columns)]

    def add_products(self, number: ir.Value, elements: Sequence[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
        stage, name, found = arith.remui(number, index(self.plan.stages)), self.attention.kind, list(sums)
        kind, keys = ir.Type.parse(name), self.plan.cut.keys
        for part in range(keys // DEPTH):
            starts = [tile * keys // 2 + 8 * part for tile in self.tiles]
            terms = [terms_of(elements[n : n + 8], self.attention.terms) for n in starts]
            lefts = [[rounded_pairs(kind, one) for one in several] for several in terms]
            right = partial(right_fragment, self.right, stage, self.lane, part=part)
            add_products(Instruction(name, name, "f32", DEPTH), lefts, right, -(-self.plan.last.n // N), found)
        return found

    def write(self, sums: Sequence[ir.Value], result: ir.Value, factors: Sequence[ir.Value] = ()) -> None:
        self.rows.write(result, self._groups(index(0))[0], 2, N, sums, self.sum_places(len(sums)), factors)

    def element_places(self, count: int) -> list[tuple[int, int]]:
        return fragment_places(count, self.columns)

    def sum_places(self, count: int) -> list[tuple[int, int]]:
        return fragment_places(count, self.plan.width // N)


def rounded_pairs(kind: ir.Type, values: Sequence[ir.Value]) -> list[ir.Value]:
    """What a thread has of fragments of sums next to each other as a left fragment: two neighbours of a row together, rounded."""
    found = []
    for first in range(0, len(values), 2):
        both = vector.from_elements(ir.VectorType.get([2], values[first].type), list(values[first : first + 2]))
        found.append(arith.truncf(ir.VectorType.get([2], kind), both))
    return found


# An f32 that may not be rounded is a sum of three bf16, which hold it exactly: its first 8 bits, the next 8, the last 8. Products of
# bf16 are exact in f32, so the sum of three products is what one of f32 by bf16 gives, but for the rounding of sums.

FIRST_BITS = -(1 << 16)
"""Of an f32: those that a bf16 has."""


def terms_of(values: Sequence[ir.Value], count: int) -> list[list[ir.Value]]:
    """By value, the last term first: small products are added first. One term is the value, to be rounded."""
    return list(zip(*(_split(v) for v in values)))[::-1] if count == 3 else [list(values)]  # type: ignore[return-value]


def _split(value: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    first = _first(value)
    is_infinite = arith.cmpf(arith.CmpFPredicate.OEQ, math.absf(value), f32(float("inf")))
    rest = arith.select(is_infinite, f32(0.0), arith.subf(value, first))
    second = _first(rest)
    return first, second, arith.subf(rest, second)


def _first(value: ir.Value) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    bits = arith.andi(arith.bitcast(i32, value), arith.constant(i32, FIRST_BITS))
    return arith.bitcast(value.type, bits)
