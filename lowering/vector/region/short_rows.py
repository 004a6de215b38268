"""Chains of short rows (a softmax of 19 elements) with the lanes along the rows: nothing is merged over lanes, none stays empty.

Before: for each row: { load 19 elements in two vectors; maximum over the lanes; exp; sum over the lanes; store }
After:  for rows by 16: { transpose 16 rows into a buffer, in which element k of all is a vector; for k: maximum; for k: exp, sum;
                          for k: result, into a buffer; transpose it to memory }"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from mlir import ir

from hlo.lowering.linalg.iteration import Affine, flatten
from hlo.lowering.vector.region.accesses import Accesses
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.memory import Tile
from hlo.lowering.vector.region.number import Number

if TYPE_CHECKING:
    from hlo.lowering.vector.region.sweep import Sweep

Carry = list[Number]
Part = TypeVar("Part")


def in_pairs(parts: Sequence[Part], join: Callable[[Part, Part], Part]) -> Part:
    """Neighbours joined, then what that gives, in their order: a balanced tree, whose ops wait for few others."""
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [join(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


class ShortRows:
    """Writes a chain through a sweep, whose stage gets buffers of columns: for what is read and written, too."""

    def __init__(self, sweep: Sweep, accesses: Accesses):
        stage = sweep.stage
        (self.along,) = stage.reduction
        self.sweep, self.index = sweep, tuple(sweep.index)
        self.wide, self.narrow = wide_and_narrow(sweep.stage, len(sweep.index))
        self.inputs = self._inputs(accesses)
        sweep.stage = replace(
            stage,
            kept=list(dict.fromkeys([*self.inputs, *stage.kept, *(s.value for s in self.wide)])),
            row_shape=[self.along.size, sweep.plan.width],
            row_position=Affine.of(self.along) * sweep.plan.width + Affine.of(sweep.lanes),
        )

    def _inputs(self, accesses: Accesses) -> list[ir.Value]:
        """The arrays whose rows are read, element k of the row in iteration k."""
        found: dict[ir.Value, None] = {}
        for access in accesses.accesses:
            value = access.value
            if value is None or access.is_store or value.type.rank != len(self.index):
                continue
            if access.position == flatten(self.index, value.type.shape):
                found[value] = None
        return list(found)

    def run(self) -> None:
        outer = [d for d in self.sweep.stage.parallel if d is not self.sweep.lanes]
        self.sweep.nest(outer, lambda base, _: self.sweep.tiles(self.rows, base, 1))

    def rows(self, tile: Tile) -> None:
        """As many rows as a vector has lanes."""
        sweep, evaluator = self.sweep, self.sweep.emitter.evaluator
        with sweep.row_kept():
            evaluator.first_row = sweep.lanes
            self.keep(tile, sweep.plan.width, self.inputs)
            sweep.reduce_levels(lambda: self.states(tile))
            self.keep(tile, sweep.plan.steps, [s.value for s in self.wide if s.value not in evaluator.rows])
            self.each(tile, sweep.plan.width, lambda part, _: self.write(part))
            if self.narrow:
                sweep.write(replace(tile, stepped=tile.lanes, steps=1, memo={}), self.narrow)
        evaluator.first_row = None

    def each(
        self, tile: Tile, steps: int, body: Callable[[Tile, Carry], Carry | None], carry: Carry | None = None
    ) -> Carry:
        """So many elements of the rows at a time, then those that are left."""
        return self.sweep.in_steps(tile, self.along, steps, body, carry or [])

    def keep(self, tile: Tile, steps: int, values: list[ir.Value]) -> None:
        """Evaluates values of whole rows into their buffers."""

        def body(part: Tile, _: Carry) -> None:
            for value in values:
                self.sweep.emitter.evaluator.value(value, self.index, part)
            self.sweep.keep_rows(part)

        if values:
            with self.sweep.rows_stored():
                self.each(tile, steps, body)

    def states(self, tile: Tile) -> list[list[list[Number]]]:
        """A sweep over the elements: the reductions of a level. Those that may be split have a partial result for each step."""
        sweep, accumulators = self.sweep, self.sweep.accumulators
        first = sweep.moved(replace(tile, stepped=self.along), sweep.emitter.code.index_constant(0), 1)
        starts = [accumulators.initial(c, first, 1) for c in accumulators.combiners]
        if all(c.kind == "op" for c in accumulators.combiners):
            return self.in_parts(tile, starts)
        return accumulators.unflatten(
            self.each(tile, sweep.plan.steps, self.one_by_one, [x for s in starts for x in s]), 1
        )

    def one_by_one(self, tile: Tile, carry: Carry) -> Carry:
        carry = self.sweep.accumulators.accumulate_chain(tile, carry)
        self.sweep.keep_rows(tile)
        return carry

    def in_parts(self, tile: Tile, starts: list[list[Number]]) -> list[list[list[Number]]]:
        accumulators, steps, evaluator = self.sweep.accumulators, self.sweep.plan.steps, self.sweep.emitter.evaluator
        carry = [x for c, start in zip(accumulators.combiners, starts) for x in accumulators.partial(c, start)]
        carry = self.each(tile, steps, lambda part, c: accumulators.accumulate(part, c, steps), carry)
        results = []
        for combiner, start, parts in zip(accumulators.combiners, starts, accumulators.unflatten(carry, steps)):
            total = in_pairs([list(part) for part in zip(*parts)], partial(combiner.merge, evaluator))
            results.append([[x] for x in combiner.merge(evaluator, start, total)])
        return results

    def write(self, tile: Tile) -> None:
        """The results of whole rows to memory."""
        for store in self.wide:
            self.sweep.emitter.store(store, tile, self.sweep.emitter.evaluator.value(store.value, store.at, tile))
