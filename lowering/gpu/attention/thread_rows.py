"""A thread's rows in kernels of attention: where they and their keys are, by symbol of expressions; what the program makes of products
there; and what is written, the result, from sums in registers, and the maxima and sums of the softmax's rows, which gradients read.

%m = max_j %s_ij     %l = sum_j exp(%s_ij - f(%m_i))      as the program has them, f what it makes of a maximum (0 for -inf)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from mlir import ir
from mlir.dialects import arith, math, memref, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Node, Product
from hlo.lowering.expressions.softmax import Softmax
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.contraction.block import fragment_coordinates
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.tensor_cores import N
from hlo.lowering.gpu.evaluate import At, Epilogue, Evaluator, as_f32, as_float, exponential, f32, indices
from hlo.lowering.gpu.threads import where
from hlo.lowering.linalg.loops import add, index, position_values, within

if TYPE_CHECKING:
    from hlo.lowering.gpu.attention.combiners import Row


SymbolValues = dict[int, ir.Value]
"""By symbol."""

PAIR = 2
"""Adjacent columns of a fragment that a thread has."""


@dataclass(frozen=True)
class TileCoordinates:
    """`p`: the contraction whose dimensions are the symbols; `parts`: of those that another one splits, with sizes. `size`,
    `step`: rows of a block, keys of a step."""

    p: Problem
    parts: Mapping[int, Mapping[int, int]]
    size: int
    step: int

    def along(self, dimensions: Sequence[int], position: ir.Value) -> SymbolValues:
        """By symbol the coordinate of a position along some dimensions that count as one."""
        found = self.p.along(dimensions, position)
        for whole, parts in self.parts.items():
            if whole in found:
                found.update(zip(parts, position_values(found[whole], list(parts.values()))))
        return found

    def row(self, batch: SymbolValues, row: ir.Value) -> SymbolValues:
        """Of a row, the last one for those beyond."""
        return {**batch, **self.along(self.p.rows, inside(row, self.p.m, self.size))}

    def key(self, key: ir.Value) -> tuple[SymbolValues, ir.Value | None]:
        """Of a key (an element of k), and whether it is one; None for always."""
        return self.along(self.p.k_dims, inside(key, self.p.k, self.step)), self._is_key(key)

    def keys(self, first: ir.Value, count: int) -> list[tuple[SymbolValues, ir.Value | None]]:
        """The same for adjacent keys, the first one a multiple of their number."""
        is_key, numbers = self._is_key(first), [index(number) for number in range(count)]
        if not self.are_together(count):
            return [self.key(add(first, number)) for number in numbers]
        if is_key is not None:
            first = arith.minui(first, index(self.p.k - count))
        return [(self.along(self.p.k_dims, add(first, number)), is_key) for number in numbers]

    def are_together(self, count: int) -> bool:
        """Whether so many adjacent keys are all inside or all outside, and none of them begins another row."""
        return self.p.nest.sizes[self.innermost_key] % count == 0

    @property
    def innermost_key(self) -> int:
        """The symbol along which contiguous keys follow."""
        return self.p.k_dims[-1]

    def _is_key(self, key: ir.Value) -> ir.Value | None:
        return within(key, self.p.k) if self.p.k % self.step else None


def inside(position: ir.Value, size: int, step: int) -> ir.Value:
    """The last one for those beyond, whose elements may be read but are not used."""
    return arith.minui(position, index(size - 1)) if size % step else position


class ThreadRows:
    """`numbers`: of the rows; `at`: by symbol where each is; `column`: the first of two adjacent columns, or keys, of each fragment."""

    def __init__(
        self,
        attention: Attention,
        coordinates: TileCoordinates,
        evaluator: Evaluator,
        batch: SymbolValues,
        numbers: Sequence[ir.Value],
        column: ir.Value,
    ):
        self.attention, self.end, self.coordinates = attention, attention.end, coordinates
        self.evaluator, self.numbers, self.column = evaluator, numbers, column
        self.at = [coordinates.row(batch, number) for number in numbers]

    def prepare(self) -> None:
        """Computes what all keys of a row need."""
        for at in self.at:
            self.evaluator.prepare(self.attention.expression, at)

    def computed(
        self,
        expression: Node,
        products: Mapping[Product, Sequence[ir.Value]],
        first: ir.Value,
        outside: ir.Value,
    ) -> list[ir.Value]:
        """What the program makes of products with the keys from the first one on; `outside` beyond the last key. What is read for a pair of
        adjacent keys is one access where it is contiguous in memory."""
        evaluator, start = self.evaluator.inner(), add(first, self.column)
        coordinates = fragment_coordinates(len(next(iter(products.values()))), len(self.at))
        groups = range(1 + max(key for _, key in coordinates) // PAIR)
        keys = [key for n in groups for key in self._read(evaluator, expression, add(start, n * N))]
        found = []
        for number, (row, key) in enumerate(coordinates):
            at, is_inside = keys[key]
            given: dict[Node, ir.Value] = {one: values[number] for one, values in products.items()}
            value = as_float(outside.type, evaluator.value(expression, {**self.at[row], **at}, given))
            found.append(value if is_inside is None else arith.select(is_inside, value, outside))
        return found

    def _read(
        self, evaluator: Evaluator, expression: Node, first: ir.Value
    ) -> list[tuple[SymbolValues, ir.Value | None]]:
        keys = self.coordinates.keys(first, PAIR)
        for row in self.at if self.coordinates.are_together(PAIR) else ():
            evaluator.read_neighbours(expression, self.coordinates.innermost_key, [{**row, **key} for key, _ in keys])
        return keys

    # The result

    def write(
        self,
        result: ir.Value,
        sums: Sequence[ir.Value],
        factors: Iterable[ir.Value] = (),
    ) -> None:
        """A thread's sums to memory, each times what its row has of `factors` if there are any."""
        coordinates = fragment_coordinates(len(sums), len(self.at))
        p, outputs = self.coordinates.p, self.end.outputs
        assert outputs is not None, "no reduction"
        inner = p.columns[-1]
        epilogue = Epilogue(outputs, inner, p.nest.sizes[inner], {**self.evaluator.values, self.end.root: result})
        for number, (at, row, factor) in enumerate(zip_longest(self.at, self.numbers, factors)):
            own = [total for total, (one, _) in zip(sums, coordinates, strict=True) if one == number]
            values = own if factor is None else [arith.mulf(total, factor) for total in own]
            with where(*([within(row, p.m)] if p.m % self.coordinates.size else [])):
                for number in range(min(len(values) // PAIR, -(-p.n // N))):
                    column = add(self.column, number * N)
                    with where(*([within(column, p.n)] if (number + 1) * N > p.n else [])):
                        self._write(epilogue, at, column, values[number * PAIR : (number + 1) * PAIR])

    def _write(self, epilogue: Epilogue, at: At, column: ir.Value, values: Sequence[ir.Value]) -> None:
        """Neighbours along the columns, with one access if they are neighbours in the result."""
        p, count = self.coordinates.p, len(values)
        if epilogue.width(count) == count:
            epilogue.emit({**at, **self.coordinates.along(p.columns, column)}, values)
            return
        for lane, value in enumerate(values):
            one = add(column, lane)
            with where(*([within(one, p.n)] if p.n % count and lane else [])):
                epilogue.emit({**at, **self.coordinates.along(p.columns, one)}, [value])

    # Maxima and sums

    def write_statistics(self, rows: Sequence[Row], is_first: ir.Value) -> None:
        """Those of all rows, by the threads that `is_first` holds for; all lanes of a row come here."""
        attention, softmax = self.attention, self.attention.softmax
        if softmax is None or not attention.statistics:
            return
        for row, at, number in zip(rows, self.at, self.numbers):
            is_row = within(number, self.coordinates.p.m)
            maximum = as_float(softmax.maximum.kind, row.maximum)
            total = _total(softmax, self.evaluator, at, maximum, row.whole_total())
            found = {softmax.maximum: maximum, softmax.total: total}
            with where(is_first, is_row):
                for one in attention.statistics:
                    memref.store(found[one.fold], self.evaluator.values[one.value], indices(one.coordinates, at))


def _total(softmax: Softmax, evaluator: Evaluator, at: At, maximum: ir.Value, total: ir.Value) -> ir.Value:
    """That of a row whose maximum is not finite is what the program makes of it: 0, inf or NaN."""
    given: dict[Node, ir.Value] = {softmax.maximum: maximum}
    shift = as_f32(evaluator.inner().value(softmax.shift, at, given))
    largest = as_f32(maximum)
    is_finite = arith.cmpf(arith.CmpFPredicate.OLT, math.absf(largest), f32(float("inf")))
    return as_float(softmax.total.kind, arith.select(is_finite, total, exponential(arith.subf(largest, shift))))


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
