"""A scatter by many threads, as loops whose turns are independent (`parallel_nest`). Updates of one element are made in the
order of the updates, whatever combines them: the results are those of one thread, bit by bit.

Few updates: a thread an element of the window, which makes all of them. Unique indices: a thread an update of an element, and so
where integers are combined in any order by an atomic instruction.
Otherwise updates are sorted by where they go (stably), and the thread of the first one of each place makes all of those that
follow it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.loops import (
    ATOMIC,
    Index,
    add,
    extract,
    if_else,
    index,
    insert,
    less,
    linear,
    maximum,
    minimum,
    nest,
    parallel_nest,
    positions,
    sub,
    while_loop,
)
from hlo.lowering.linalg.parallel_sorting import sort_flat
from hlo.lowering.linalg.scatter_updates import Updates, Values

FEW = 32
"""Up to so many updates of each element are made by one thread, one after the other."""

ENOUGH = 1 << 16
"""Elements of a window that keep all threads busy."""


def scatter_in_parallel(
    updates: Updates, results: Sequence[ir.Value], is_unique: bool, is_atomic: bool = False
) -> Values:
    """`is_unique`: no two updates are of the same element, as the program promises. `is_atomic`: the order of updates does not
    matter, and there are instructions for them."""
    batch, window = updates.plan.batch, updates.plan.window
    if not prod(batch) * prod(window):
        return list(results)
    if is_unique or is_atomic or prod(batch) == 1:
        split = len(batch)
        done = parallel_nest(
            [*batch, *window], lambda p, *state: updates.one_element(p[:split], p[split:], state), results
        )
        if is_atomic and not is_unique and prod(batch) > 1:
            done[0].owner.attributes[ATOMIC] = ir.UnitAttr.get()
        return done
    if prod(batch) <= FEW or prod(window) >= ENOUGH:

        def column(place: list[Index], *state: ir.Value) -> Values:
            return nest(batch, lambda b, *inner: updates.one_element(b, place, inner), state)

        return parallel_nest(window, column, results)
    return _Sorted.of(updates).scatter(results)


@dataclass(frozen=True)
class _Sorted:
    """Updates as they go to the same place: windows where these are equal or apart (`items` is the batch), else elements
    of windows. `rest`: the window dimensions of an item."""

    updates: Updates
    items: list[int]
    rest: list[int]

    @staticmethod
    def of(updates: Updates) -> _Sorted:
        batch, window = updates.plan.batch, updates.plan.window
        return _Sorted(updates, batch, window) if updates.plan.is_aligned else _Sorted(updates, [*batch, *window], [])

    @property
    def nowhere(self) -> int:
        """The key of updates that are outside."""
        return prod(self.updates.plan.extents)

    def scatter(self, results: Sequence[ir.Value]) -> Values:
        keys, numbers = sort_flat(self._keys(), 1, prod(self.items), _is_less)

        def turn(place: list[Index], *state: ir.Value) -> Values:
            first, *window = place
            key, before = (extract(keys, [i]) for i in (first, maximum(sub(first, 1), 0)))
            is_new = arith.ori(_equal(index(first), 0), arith.cmpi(arith.CmpIPredicate.ne, key, before))
            is_head = arith.andi(is_new, arith.cmpi(arith.CmpIPredicate.ne, key, _constant(key.type, self.nowhere)))
            types = [v.type for v in state]
            return if_else(is_head, types, lambda: self._follow(keys, numbers, first, window, state), lambda: state)

        return parallel_nest([prod(self.items), *self.rest], turn, results)

    def _split(self, item: list[Index], window: list[Index]) -> tuple[list[Index], list[Index]]:
        """Batch and window position of an item's element."""
        rank = len(self.updates.plan.batch)
        return item[:rank], [*item[rank:], *window]

    def _keys(self) -> Values:
        """Where each item goes, as the number of its first element; and its own number."""
        plan, kinds = self.updates.plan, [_integer(self.nowhere), _integer(prod(self.items))]
        empty = [tensor.empty([prod(self.items)], kind) for kind in kinds]

        def one(item: list[Index], *state: ir.Value) -> Values:
            batch, window = self._split(item, [0] * len(self.rest))
            start, number = self.updates.start(batch), linear(item, self.items)
            target = index(linear(plan.target(start, window), plan.extents))
            key = arith.select(plan.in_bounds(start), target, index(self.nowhere))
            values = [arith.index_cast(kind, index(v)) for kind, v in zip(kinds, (key, number))]
            return [insert(value, into, [number]) for value, into in zip(values, state)]

        return parallel_nest(self.items, one, empty)

    def _follow(
        self, keys: ir.Value, numbers: ir.Value, first: Index, window: list[Index], results: Sequence[ir.Value]
    ) -> Values:
        """All updates with the key of the first, on one element."""
        key, last = extract(keys, [first]), prod(self.items)
        origin = positions(arith.index_castui(ir.IndexType.get(), key), self.updates.plan.extents)
        position = self.updates.plan.target(origin, window) if self.rest else origin

        def goes_on(place: ir.Value) -> ir.Value:
            is_same = arith.cmpi(arith.CmpIPredicate.eq, extract(keys, [minimum(place, last - 1)]), key)
            return arith.andi(less(place, last), is_same)

        def update(place: ir.Value, *old: ir.Value) -> Values:
            number = arith.index_castui(ir.IndexType.get(), extract(numbers, [place]))
            batch, inside = self._split(positions(number, self.items), window)
            return [add(place, 1), *self.updates.combined(list(old), batch, inside)]

        start = [index(first), *(extract(v, position) for v in results)]
        _, *values = while_loop(start, lambda place, *_: goes_on(place), update)
        return [insert(value, into, position) for value, into in zip(values, results, strict=True)]


def _integer(most: int) -> ir.Type:
    """A type that holds the number."""
    return ir.IntegerType.get_signless(32 if most < 1 << 31 else 64)


def _is_less(a: Values, b: Values) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ult, a[0], b[0])


def _equal(a: ir.Value, value: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, a, _constant(a.type, value))


def _constant(kind: ir.Type, value: int) -> ir.Value:
    return arith.constant(kind, value)
