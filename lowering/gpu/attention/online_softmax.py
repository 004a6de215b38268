"""Softmax of rows that come in parts: the maximum and the sum so far, and what to scale earlier sums with.

    m' = max(m, max s)    a = exp(m - m')    e = exp(s - m')    l' = a l + sum e

A thread has some scores of a row; some neighbouring lanes have the row together (a quad, in fragments). The sum is a thread's own until the end. Where
all scores so far are -inf, 0 is subtracted: exponentials and sum are 0, and what is divided by it in the end is NaN."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, llvm, memref

from hlo.lowering.gpu.block_reduction import shared_array, shuffled_word
from hlo.lowering.gpu.control_flow import equals, index_constant, where

LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class Row:
    """The maximum and the sum so far. `lanes`: neighbours that have the row together; `exponential`: of a number up to 0."""

    maximum: ir.Value
    total: ir.Value
    lanes: ClassVar[int] = 4

    @staticmethod
    def exponential(x: ir.Value) -> ir.Value:
        return exponential(x)

    @classmethod
    def start(cls, kind: ir.Type | None = None) -> Row:
        """`kind`: of the scores; f32 if it is not given."""
        return cls(*(arith.constant(kind or ir.F32Type.get(), value) for value in (float("-inf"), 0.0)))

    def add(self, scores: Sequence[ir.Value]) -> tuple[Row, ir.Value, list[ir.Value]]:
        """The row with some more scores of this thread, the factor for what was summed before, and their exponentials."""
        new = across(self.lanes, combined(scores, arith.maximumf), arith.maximumf)
        maximum = combined([self.maximum, new], arith.maximumf)
        is_empty = arith.cmpf(arith.CmpFPredicate.OEQ, maximum, arith.constant(maximum.type, float("-inf")))
        shift = arith.select(is_empty, arith.constant(maximum.type, 0.0), maximum)
        factor = self.exponential(arith.subf(self.maximum, shift))
        weights = [self.exponential(arith.subf(s, shift)) for s in scores]
        total = arith.addf(arith.mulf(self.total, factor), combined(weights, arith.addf))
        return type(self)(maximum, total), factor, weights

    def whole_total(self) -> ir.Value:
        """The sum of all lanes."""
        return across(self.lanes, self.total, arith.addf)

    def inverse(self) -> ir.Value:
        """1 over the sum of all lanes."""
        return arith.divf(arith.constant(self.total.type, 1.0), self.whole_total())


def add_scores(
    rows: Sequence[Row], scores: Sequence[ir.Value], places: Sequence[tuple[int, int]]
) -> tuple[list[Row], list[ir.Value], list[ir.Value]]:
    """The rows with these scores, the factors of their sums so far, and the weights in place of the scores. `places`: row and column of
    each."""
    after, factors, weights = [], [], list(scores)
    for number, row in enumerate(rows):
        own = [n for n, (one, _) in enumerate(places) if one == number]
        new, factor, found = row.add([scores[n] for n in own])
        after.append(new)
        factors.append(factor)
        for n, weight in zip(own, found):
            weights[n] = weight
    return after, factors, weights


def scaled(sums: Sequence[ir.Value], places: Sequence[tuple[int, int]], factors: Sequence[ir.Value]) -> list[ir.Value]:
    """Each sum times the factor of its row."""
    return [arith.mulf(total, factors[row]) for total, (row, _) in zip(sums, places, strict=True)]


def as_type(kind: ir.Type, value: ir.Value) -> ir.Value:
    """A float, widened or rounded to a type."""
    if value.type == kind:
        return value
    return (arith.extf if ir.FloatType(kind).width > ir.FloatType(value.type).width else arith.truncf)(kind, value)


def as_f32(value: ir.Value) -> ir.Value:
    return as_type(ir.F32Type.get(), value)


def f32(value: float) -> ir.Value:
    return arith.constant(ir.F32Type.get(), value)


def exponential(x: ir.Value) -> ir.Value:
    """e to the x, for x up to 0: one instruction after a product. (s - m) log2 e, not s log2 e - m log2 e, which would
    overflow for the lowest scores that masks use."""
    power = arith.mulf(x, f32(LOG2_E))
    return llvm.call_intrinsic(x.type, "llvm.nvvm.ex2.approx.ftz.f", [power], [], [])


Combine = Callable[[ir.Value, ir.Value], ir.Value]


def combined(values: Sequence[ir.Value], combine: Combine) -> ir.Value:
    """In pairs: short chains of instructions that wait for each other."""
    found = list(values)
    while len(found) > 1:
        pairs = zip(found[::2], found[1::2])
        rest = found[len(found) // 2 * 2 :]
        found = [combine(x, y) for x, y in pairs] + rest
    return found[0]


def across(lanes: int, value: ir.Value, combine: Combine) -> ir.Value:
    """Of the values of so many neighbouring lanes, a power of two."""
    distance = 1
    while distance < lanes:
        value = combine(value, shuffled_word(value, distance))
        distance *= 2
    return value


NOTHING = {"f32": 104.0, "f64": 746.0}
"""exp(-104) is 0 in f32."""


def any_row_near(rows: Sequence[Row], far: float, warp: ir.Value, lane: ir.Value, warps: int) -> ir.Value:
    """Whether the maximum of any row of the block is not well above `far`: what has that score may weigh something. All
    threads of the block take part."""
    return any_warp(is_near(rows, far), warp, lane, warps)


def any_thread(condition: ir.Value, warp: ir.Value, lane: ir.Value, warps: int) -> ir.Value:
    """Whether a condition holds in any thread of the block."""
    mine = arith.extui(ir.IntegerType.get_signless(32), condition)
    for distance in (1, 2, 4, 8, 16):
        mine = arith.ori(mine, shuffled_word(mine, distance))
    return any_warp(mine, warp, lane, warps)


def any_warp(mine: ir.Value, warp: ir.Value, lane: ir.Value, warps: int) -> ir.Value:
    """Whether an i32 that all lanes of a warp have is not 0 in any warp."""
    flags = shared_array([warps], mine.type)
    ir.Operation.create("gpu.barrier")
    is_one = equals(lane, 0)
    with where(is_one):
        memref.store(mine, flags, [warp])
    ir.Operation.create("gpu.barrier")
    return is_any([memref.load(flags, [index_constant(n)]) for n in range(warps)])


def is_any(flags: Sequence[ir.Value]) -> ir.Value:
    """Whether one of some integers is not 0."""
    found = combined(flags, arith.ori)
    return arith.cmpi(arith.CmpIPredicate.ne, found, arith.constant(found.type, 0))


def is_near(rows: Sequence[Row], far: float) -> ir.Value:
    """The same of a warp: an i32 that is not 0, in all lanes."""
    kind = rows[0].maximum.type
    low, nothing = (arith.constant(kind, value) for value in (far, NOTHING[str(kind)]))
    near = [arith.cmpf(arith.CmpFPredicate.OLE, arith.subf(row.maximum, low), nothing) for row in rows]
    mine = arith.extui(ir.IntegerType.get_signless(32), combined(near, arith.ori))
    for distance in (4, 8, 16):  # lanes of a quad have the same rows, whoever else does
        mine = arith.ori(mine, shuffled_word(mine, distance))
    return mine
