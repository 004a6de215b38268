"""A scatter by many threads, as loops whose iterations are independent (`parallel_nest`). Updates of one element are made in the
order of the updates, whatever combines them: the results are those of one thread, bit by bit.

Few updates: a thread an element of the window, which makes all of them, or (where windows overlap in part) a loop each.
Unique indices: a thread an update of an element, and so where integers are combined in any order by an atomic
instruction. Otherwise the thread of the first update of each element makes all of those that follow it there: up to
PAIRS of them are compared with each other for that, more are sorted by where they go (stably)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.indexing.updates import Updates, Values
from hlo.lowering.linalg.loops import (
    ATOMIC,
    Index,
    add,
    extract,
    for_loop,
    if_else,
    index,
    less,
    linear,
    load,
    maximum,
    minimum,
    nest,
    parallel_nest,
    positions,
    store,
    sub,
    while_loop,
)
from hlo.lowering.linalg.sorting.comparisons.threads import sort_flat

FEW = 4
"""Up to so many updates of each element are made by one thread, one after the other."""

PAIRS = 128
"""Up to so many updates look at each other."""

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
            [*batch, *window], lambda p, *state: updates.one_element(p[:split], p[split:], *state), results
        )
        if is_atomic and not is_unique and prod(batch) > 1:
            done[0].owner.attributes[ATOMIC] = ir.UnitAttr.get()
        return done
    if not updates.plan.is_aligned and prod(batch) <= FEW:
        return _one_after_the_other(updates, results)
    if updates.plan.is_aligned and (prod(batch) <= FEW or prod(window) >= ENOUGH):

        def column(position: list[Index], *state: ir.Value) -> Values:
            return nest(batch, lambda b, *inner: updates.one_element(b, position, *inner), state)

        return parallel_nest(window, column, results)
    items = _Items.of(updates)
    return items.compared(results) if prod(items.items) <= PAIRS else items.sorted(results)


def _one_after_the_other(updates: Updates, results: Sequence[ir.Value]) -> Values:
    """A loop for each update: threads of one loop would meet where windows overlap in part."""
    done = list(results)
    for batch in product(*map(range, updates.plan.batch)):
        done = parallel_nest(updates.plan.window, partial(updates.one_element, list(batch)), done)
    return done


@dataclass(frozen=True)
class _Items:
    """Updates as they go to the same element: windows where these are equal or disjoint (`items` is the batch), else elements
    of windows. `rest`: the window dimensions of an item."""

    updates: Updates
    items: list[int]
    rest: list[int]

    @staticmethod
    def of(updates: Updates) -> _Items:
        batch, window = updates.plan.batch, updates.plan.window
        return _Items(updates, batch, window) if updates.plan.is_aligned else _Items(updates, [*batch, *window], [])

    @property
    def nowhere(self) -> int:
        """The key of updates that are outside."""
        return prod(self.updates.plan.extents)

    def compared(self, results: Sequence[ir.Value]) -> Values:
        """Each item looks for its key in front of it: if it is the first one with that, it makes all."""
        keys, _ = self._keys()
        no = arith.constant(ir.IntegerType.get_signless(1), 0)

        def is_first(first: Index, key: ir.Value) -> ir.Value:
            look = lambda k, found: [arith.ori(found, _is_same(extract(keys, [k]), key))]
            return _is_same(for_loop(0, first, look, [no])[0], no)

        def make(first: Index, key: ir.Value, window: list[Index], old: Values) -> Values:
            """The updates with the key of the first, from that on."""

            def one(k: Index, *old: ir.Value) -> Values:
                batch, inside = self._split(positions(k, self.items), window)
                combined = lambda: self.updates.combined(list(old), batch, inside)
                return if_else(_is_same(extract(keys, [k]), key), [v.type for v in old], combined, lambda: list(old))

            return for_loop(first, prod(self.items), one, old)

        return self._made_by_first(keys, results, is_first, make)

    def _made_by_first(self, keys: ir.Value, results: Sequence[ir.Value], is_first: Callable, make: Callable) -> Values:
        """A thread an item and an element of the window: that of the first item of a key makes all updates of the key."""

        def iteration(item: list[Index], *state: ir.Value) -> Values:
            first, *window = item
            key = extract(keys, [first])

            def made() -> Values:
                position = self._position(key, window)
                return store(make(first, key, window, load(state, position)), state, position)

            is_head = arith.andi(is_first(first, key), self._is_inside(key))
            return if_else(is_head, [v.type for v in state], made, lambda: state)

        return parallel_nest([prod(self.items), *self.rest], iteration, results)

    def _is_inside(self, key: ir.Value) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.ne, key, arith.constant(key.type, self.nowhere))

    def _position(self, key: ir.Value, window: list[Index]) -> list[Index]:
        """The element that an item of this key updates, at a position in the window."""
        origin = positions(arith.index_castui(ir.IndexType.get(), key), self.updates.plan.extents)
        return self.updates.plan.target(origin, window) if self.rest else origin

    def sorted(self, results: Sequence[ir.Value]) -> Values:
        """Items of one key are neighbours: the first one makes all."""
        keys, numbers = sort_flat(self._keys(), 1, prod(self.items), _is_less)
        last = prod(self.items)

        def is_first(first: Index, key: ir.Value) -> ir.Value:
            before = extract(keys, [maximum(sub(first, 1), 0)])
            return arith.ori(_equal(index(first), 0), arith.cmpi(arith.CmpIPredicate.ne, key, before))

        def make(first: Index, key: ir.Value, window: list[Index], old: Values) -> Values:
            def goes_on(position: ir.Value, *_: ir.Value) -> ir.Value:
                return arith.andi(less(position, last), _is_same(extract(keys, [minimum(position, last - 1)]), key))

            def update(position: ir.Value, *old: ir.Value) -> Values:
                number = arith.index_castui(ir.IndexType.get(), extract(numbers, [position]))
                batch, inside = self._split(positions(number, self.items), window)
                return [add(position, 1), *self.updates.combined(list(old), batch, inside)]

            return while_loop([index(first), *old], goes_on, update)[1:]

        return self._made_by_first(keys, results, is_first, make)

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
            return store(values, state, [number])

        return parallel_nest(self.items, one, empty)


def _integer(most: int) -> ir.Type:
    """A type that holds the number."""
    return ir.IntegerType.get_signless(32 if most < 1 << 31 else 64)


def _is_less(a: Values, b: Values) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ult, a[0], b[0])


def _is_same(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, a, b)


def _equal(a: ir.Value, value: int) -> ir.Value:
    return _is_same(a, arith.constant(a.type, value))
