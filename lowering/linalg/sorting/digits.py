"""Digits of keys: how many elements have each, and moves to where those of a digit belong, in the order in which they come."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, element, extract, for_loop, index, insert, mul, scalar
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.merging import Values
from hlo.lowering.linalg.sorting.words import VECTOR_BITS, WordVectors


@dataclass(frozen=True)
class Digits:
    """`of(k)`: the digit of element k, less than `size`. `parts`: elements are counted and moved in so many parts at a
    time, so that adjacent equal digits do not wait for one counter."""

    of: Callable[[ir.Value], ir.Value]
    size: Index
    parts: int

    def moved(self, value: Callable[[ir.Value], ir.Value], target: ir.Value, table: ir.Value, count: Index, into: Index = 0) -> Values:  # fmt: skip
        """The target, from `into` on with `value(k)` of `count` elements by their digits, and the table, which has
        where the elements of each digit and part end."""
        size = mul(self.size, self.parts)
        add_one = lambda part, k, table: [plus_one(table, self._counter(part, k))]
        (counts,) = self._each(add_one, [zeros(table, size)], count)

        def move(part: int, k: ir.Value, target: ir.Value, table: ir.Value) -> Values:
            moving, counter = value(k), self._counter(part, k)  # what both load, before anything is stored
            position = extract(table, counter)
            table = insert(arith.addi(position, scalar(position.type, 1)), table, counter)
            return [insert(moving, target, [arith.index_castui(index(0).type, position)]), table]

        return self._each(move, [target, starts(counts, size, into)], count)

    def _counter(self, part: int, k: ir.Value) -> list[Index]:
        return [add(mul(self.of(k), self.parts), part)]

    def _each(self, visit: Callable[..., Values], carried: Values, count: Index) -> Values:
        """`visit(part, k, *carried)` for each element; the last part has what the division leaves."""
        size = arith.divui(index(count), index(self.parts))

        def one(k: ir.Value, *carried: ir.Value) -> Values:
            for part in range(self.parts):
                carried = tuple(visit(part, index(add(k, mul(size, part))), *carried))
            return list(carried)

        carried = for_loop(0, size, one, carried)
        last = lambda k, *carried: visit(self.parts - 1, k, *carried)
        return for_loop(mul(size, self.parts), count, last, carried)


def zeros(table: ir.Value, size: Index) -> ir.Value:
    """The first counters of a table, a multiple of a vector's lanes of them."""
    vectors = WordVectors(element(table), VECTOR_BITS // element(table).width)
    zero = (vectors.splat(scalar(vectors.kind, 0)),)
    return Array((table,)).loop(0, size, lambda n, table: vectors.store(zero, table, [n]), vectors.lanes).tensors[0]


def plus_one(table: ir.Value, counter: list[Index]) -> ir.Value:
    return insert(arith.addi(extract(table, counter), scalar(element(table), 1)), table, counter)


def starts(table: ir.Value, size: Index, into: Index = 0) -> ir.Value:
    """Where the elements of each digit begin, from the number that each has."""

    def one(n: Index, begin: ir.Value, table: ir.Value) -> Values:
        return [arith.addi(begin, extract(table, [n])), insert(begin, table, [n])]

    return for_loop(0, size, one, [arith.index_cast(element(table), index(into)), table])[1]
