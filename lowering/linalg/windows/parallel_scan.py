"""A running reduction along rows by many threads, as loops whose iterations are independent (`parallel_nest`).

    parts of PART elements, a thread each: 1 2 3 | 4 5 6 | 7 8 9  ->  1 3 6 | 4 9 15 | 7 15 24
    the last elements of the parts, scanned in the same way:          0 + 6 = 6,   6 + 15 = 21, ...
    each element with what comes before its part:                     1 3 6 | 10 15 21 | 28 36 45

What combines is associative, as the specification of reduce_window lets every order be taken; this one is always the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import (
    Index,
    Lines,
    add,
    element,
    extract,
    for_loop,
    index,
    less,
    load,
    maximum,
    minimum,
    mul,
    parallel_nest,
    store,
    sub,
)

Values = list[ir.Value]

PART = 64
"""Elements that a thread goes through."""

ENOUGH = 1 << 14
"""Rows that keep all threads busy: one thread per row."""


@dataclass(frozen=True)
class ParallelScan:
    """`combine`: what came before and an element to what comes after it; `reverse`: from the end of each row."""

    rows: Lines
    reverse: bool
    combine: Callable[[Sequence[ir.Value], Sequence[ir.Value]], Values]

    def emit(self, results: Values, sources: Values, starts: Values) -> Values:
        """`starts`: of rank 0, what the first elements are combined with."""
        length, count = self.rows.length, self.rows.count
        if length <= PART or count >= ENOUGH:

            def whole(indices: list[Index], *results: ir.Value) -> Values:
                return self._run(indices[0], (0, length), load(starts, []), sources, results)[1]

            return parallel_nest([count], whole, results)
        results, totals = self._parts(results, sources)
        rest = Lines((count, -(-length // PART)), 1)
        empty = [tensor.empty(rest.extents, element(v)) for v in totals]
        before = ParallelScan(rest, False, self.combine).emit(empty, totals, starts)
        return self._joined(results, before, starts)

    def _at(self, row: Index, k: Index) -> list[Index]:
        return self.rows.at(row, sub(self.rows.length - 1, k) if self.reverse else k)

    def _run(
        self, row: Index, span: tuple[Index, Index], running: Values, sources: Values, results: Sequence[ir.Value]
    ) -> tuple[Values, Values]:
        """Combines a part of a row into what runs along it; that, and the results with it."""

        def step(k: Index, *state: ir.Value) -> Values:
            running, results = state[: len(sources)], state[len(sources) :]
            new = self.combine(running, load(sources, self._at(row, k)))
            return [*new, *store(new, results, self._at(row, k))]

        after = for_loop(*span, step, [*running, *results])
        return after[: len(sources)], after[len(sources) :]

    def _parts(self, results: Values, sources: Values) -> tuple[Values, Values]:
        """Each part scanned for itself, and the last element of each."""
        size = [self.rows.count, -(-self.rows.length // PART)]
        totals = [tensor.empty(size, element(v)) for v in results]

        def part(indices: list[Index], *state: ir.Value) -> Values:
            results, totals = list(state[: len(sources)]), state[len(sources) :]
            row, first = indices[0], mul(indices[1], PART)
            running = load(sources, self._at(row, first))
            results = store(running, results, self._at(row, first))
            span = (add(first, 1), minimum(add(first, PART), self.rows.length))
            running, results = self._run(row, span, running, sources, results)
            return [*results, *store(running, totals, indices)]

        after = parallel_nest(size, part, [*results, *totals])
        return after[: len(sources)], after[len(sources) :]

    def _joined(self, results: Values, before: Values, starts: Values) -> Values:
        """`before`: what comes up to the end of each part."""

        def one(indices: list[Index], *results: ir.Value) -> Values:
            row, k = indices
            part = arith.divui(index(k), index(PART))
            earlier = load(before, [row, maximum(sub(part, 1), 0)])
            is_first = less(part, 1)
            offset = [arith.select(is_first, extract(s, []), e) for s, e in zip(starts, earlier, strict=True)]
            position = self._at(row, k)
            return store(self.combine(offset, load(results, position)), results, position)

        return parallel_nest([self.rows.count, self.rows.length], one, results)
