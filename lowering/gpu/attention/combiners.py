"""What becomes of the elements of each step: how a state begins, takes them in, and becomes the result.

Products        sums += elements x right input                                     dV, dQ, dK
OnlineSoftmax   rows' maxima and sums so far; sums = factor * sums + weights x right input        the result
Reduction       a number for each row                                              sums of dP * P, maxima"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.balanced_tree import in_pairs
from hlo.lowering.expressions.nodes import Node, is_apply
from hlo.lowering.gpu.contraction.block import fragment_coordinates
from hlo.lowering.gpu.evaluate import as_f32, as_float, exponential, f32, indices
from hlo.lowering.gpu.threads import WARP, across, any_warp, equals, where
from hlo.lowering.linalg.loops import within

if TYPE_CHECKING:
    from hlo.lowering.gpu.attention.tile_kernel import TileKernel


def combiner_of(kernel: TileKernel) -> Products:
    attention = kernel.attention
    if attention.softmax is not None:
        return OnlineSoftmax(kernel, attention.expression, float("-inf"))
    if attention.fold is not None:
        return Reduction(kernel, attention.expression, attention.fold[1])
    whole = attention.expression  # which is rounded when it is multiplied
    return Products(kernel, whole.operands[0] if is_apply(whole, "arith.truncf") else whole, 0.0)


class Products:
    """`expression`: of an element; `outside`: one beyond the last key."""

    def __init__(self, kernel: TileKernel, expression: Node, outside: float):
        self.kernel, self.attention = kernel, kernel.attention
        self.expression, self.outside = expression, f32(outside)

    def start(self) -> list[ir.Value]:
        return [f32(0.0)] * self.kernel.count

    def add(self, number: ir.Value, elements: Sequence[ir.Value], state: list[ir.Value]) -> list[ir.Value]:
        """The state with the elements of the so many-th step."""
        return self.kernel.add_products(number, elements, state)

    def needs_rest(self, state: list[ir.Value]) -> ir.Value:
        """Whether steps that a mask hides are needed after all."""
        raise NotImplementedError

    def finish(self, state: list[ir.Value], result: ir.Value) -> None:
        self.kernel.rows.write(result, state)


# Softmax of rows that come in parts: the maximum and the sum so far, and what to scale earlier sums with.
#
#   m' = max(m, max s)    a = exp(m - m')    e = exp(s - m')    l' = a l + sum e
#
# A thread has some scores of a row. The sum is a thread's own until the end. Where all scores so far are -inf, 0 is subtracted: exponentials and sum are 0, and what is divided by it in the end is NaN.


LANES = 4
"""Neighbours that have a row together: a quad, in fragments."""


@dataclass(frozen=True)
class Row:
    """The maximum and the sum so far."""

    maximum: ir.Value
    total: ir.Value

    @staticmethod
    def start() -> Row:
        return Row(f32(float("-inf")), f32(0.0))

    def add(self, scores: Sequence[ir.Value]) -> tuple[Row, ir.Value, list[ir.Value]]:
        """The row with some more scores of this thread, the factor for what was summed before, and their exponentials."""
        new = across(LANES, in_pairs(scores, arith.maximumf), arith.maximumf)
        maximum = in_pairs([self.maximum, new], arith.maximumf)
        is_empty = arith.cmpf(arith.CmpFPredicate.OEQ, maximum, f32(float("-inf")))
        shift = arith.select(is_empty, f32(0.0), maximum)
        factor = exponential(arith.subf(self.maximum, shift))
        weights = [exponential(arith.subf(s, shift)) for s in scores]
        total = arith.addf(arith.mulf(self.total, factor), in_pairs(weights, arith.addf))
        return Row(maximum, total), factor, weights

    def whole_total(self) -> ir.Value:
        """The sum of all lanes."""
        return across(LANES, self.total, arith.addf)

    def inverse(self) -> ir.Value:
        """1 over the sum of all lanes."""
        return arith.divf(f32(1.0), self.whole_total())


def add_scores(rows: Sequence[Row], scores: Sequence[ir.Value]) -> tuple[list[Row], list[ir.Value], list[ir.Value]]:
    """The rows with these scores, the factors of their sums so far, and the weights instead of the scores."""
    after, factors, weights = [], [], list(scores)
    coordinates = fragment_coordinates(len(scores), len(rows))
    for number, row in enumerate(rows):
        own = [n for n, (one, _) in enumerate(coordinates) if one == number]
        new, factor, found = row.add([scores[n] for n in own])
        after.append(new)
        factors.append(factor)
        for n, weight in zip(own, found):
            weights[n] = weight
    return after, factors, weights


def scaled(sums: Sequence[ir.Value], factors: Sequence[ir.Value]) -> list[ir.Value]:
    """Each sum times the factor of its row."""
    coordinates = fragment_coordinates(len(sums), len(factors))
    return [arith.mulf(total, factors[row]) for total, (row, _) in zip(sums, coordinates, strict=True)]


NOTHING = 104.0
"""exp(-104) is 0 in f32."""


def is_near(rows: Sequence[Row], far: float) -> ir.Value:
    """Whether the maximum of any row of a warp is not well above `far`: what has that score may weigh something. An i32 that is not 0 then,
    in all lanes."""
    low, nothing = f32(far), f32(NOTHING)
    near = [arith.cmpf(arith.CmpFPredicate.OLE, arith.subf(row.maximum, low), nothing) for row in rows]
    mine = arith.extui(ir.IntegerType.get_signless(32), in_pairs(near, arith.ori))
    return across(WARP, mine, arith.ori, LANES)


class OnlineSoftmax(Products):
    """The state: maxima of a thread's rows, their sums, the sums of products."""

    def start(self) -> list[ir.Value]:
        return [*flat([Row.start()] * len(self.kernel.rows.at)), *super().start()]

    def _rows(self, state: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        return unflat(state, len(self.kernel.rows.at))

    def add(self, number: ir.Value, elements: Sequence[ir.Value], state: list[ir.Value]) -> list[ir.Value]:
        rows, sums = self._rows(state)
        after, factors, weights = add_scores(rows, elements)
        sums = scaled(sums, factors)
        return [*flat(after), *self.kernel.add_products(number, weights, sums)]

    def needs_rest(self, state: list[ir.Value]) -> ir.Value:
        kernel, hidden = self.kernel, self.kernel.plan.hidden
        assert hidden is not None, "a mask"
        return any_warp(is_near(self._rows(state)[0], hidden.far), kernel.warp, kernel.lane, kernel.plan.cut.warps)

    def finish(self, state: list[ir.Value], result: ir.Value) -> None:
        kernel, (rows, sums) = self.kernel, self._rows(state)
        kernel.rows.write_statistics(rows, equals(kernel.column, 0))
        kernel.rows.write(result, sums, [row.inverse() for row in rows])  # all lanes take part


def flat(rows: Sequence[Row]) -> list[ir.Value]:
    """What loops carry."""
    return [*(row.maximum for row in rows), *(row.total for row in rows)]


def unflat(values: Sequence[ir.Value], count: int) -> tuple[list[Row], list[ir.Value]]:
    """So many rows, and what follows them."""
    return [Row(*both) for both in zip(values[:count], values[count : 2 * count])], list(values[2 * count :])


COMBINE = {"arith.addf": arith.addf, "arith.maximumf": arith.maximumf}
"""What reductions combine with."""


class Reduction(Products):
    """The state: a number for each of a thread's rows."""

    def __init__(self, kernel: TileKernel, expression: Node, outside: float):
        super().__init__(kernel, expression, outside)
        assert self.attention.fold is not None, "a reduction"
        self.name = self.attention.fold[0]
        self.combine = COMBINE[self.name]

    def start(self) -> list[ir.Value]:
        return [self.outside] * len(self.kernel.rows.at)

    def add(self, number: ir.Value, elements: Sequence[ir.Value], state: list[ir.Value]) -> list[ir.Value]:
        coordinates = fragment_coordinates(len(elements), len(state))
        rows = [[v for v, (one, _) in zip(elements, coordinates) if one == row] for row in range(len(state))]
        return [self.combine(total, in_pairs(row, self.combine)) for total, row in zip(state, rows)]

    def finish(self, state: list[ir.Value], result: ir.Value) -> None:
        """The first lane of those that have a row together stores it."""
        kernel, kind = self.kernel, ir.MemRefType(result.type).element_type
        is_first = equals(kernel.column, 0)
        for total, at, number in zip(state, kernel.rows.at, kernel.rows.numbers):
            value = across(LANES, self._with_hidden(total, at), self.combine)
            with where(is_first, within(number, kernel.plan.last.m)):
                memref.store(as_float(kind, value), result, indices(self.attention.end.coordinates, at))

    def _with_hidden(self, total: ir.Value, at: dict[int, ir.Value]) -> ir.Value:
        """The maximum with that of the steps that were not taken."""
        kernel, hidden = self.kernel, self.kernel.plan.hidden
        if hidden is None or self.name != "arith.maximumf":
            return total
        value = arith.maximumf(total, as_f32(hidden.value(kernel.evaluator, self.expression, at)))
        return arith.select(within(kernel.taken, kernel.plan.steps), value, total)
