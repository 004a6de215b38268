"""Elements that are nearly sorted: each is moved by a few places, as long as none has farther to go."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.linalg.loops import (
    Index,
    add,
    changed_if,
    extract,
    for_loop,
    index,
    less,
    load,
    maximum,
    minimum,
    sub,
)
from hlo.lowering.linalg.sorting.comparisons.merging import Values, sink
from hlo.lowering.linalg.sorting.words.vectors import WordVectors
from hlo.lowering.numbers import integer

FARTHEST = 8
"""Places that an element is moved by, at most."""


def descends(vectors: WordVectors, keys: ir.Value, k: Index, inside: ir.Value | None) -> ir.Value:
    """In the lanes of keys from k + 1 on: whether they are smaller than the ones before."""
    both = (vectors.load_word(keys, [at], inside) for at in (add(k, 1), k))
    return arith.cmpi(arith.CmpIPredicate.ult, *both)


def mended(vectors: WordVectors, arrays: Sequence[ir.Value], first: Index, stop: Index) -> Values:
    """Whether the elements from `first` to `stop` are sorted once each is moved, and the arrays: the first one has the
    keys, the others move with it."""
    before = lambda a, b: arith.cmpi(arith.CmpIPredicate.ult, a[0], b[0])

    def place(k: ir.Value, is_sorted: ir.Value, arrays: Values) -> Values:
        """Moves an element; where it stays behind a larger one, that is one in front of those that were looked at."""
        start = maximum(sub(k, FARTHEST), first)
        moved = sink(arrays, k, start, before)
        in_front, least = (extract(moved[0], [at]) for at in (maximum(sub(start, 1), first), start))
        return [arith.andi(is_sorted, arith.cmpi(arith.CmpIPredicate.ule, in_front, least)), *moved]

    def move(k: ir.Value, is_sorted: ir.Value, *arrays: ir.Value) -> Values:
        is_less = before(load(arrays[:1], [k]), load(arrays[:1], [sub(k, 1)]))
        return changed_if(is_less, [is_sorted, *arrays], lambda: place(k, is_sorted, list(arrays)))

    def mend_vector(k: Index, *state: ir.Value) -> Values:
        end = minimum(add(k, vectors.lanes), stop)
        found = vectors.count(descends(vectors, state[1], sub(k, 1), vectors.first(sub(stop, k))))
        return changed_if(less(0, found), state, lambda: for_loop(k, end, move, state))

    start = [arith.constant(integer(1), 1), *arrays]
    return for_loop(index(add(first, 1)), stop, mend_vector, start, vectors.lanes)
