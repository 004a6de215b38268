"""select_and_scatter, as a "loops" kernel that updates its result in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.dialect.stablehlo import SelectAndScatterOp
from hlo.dialect.types import element_type, is_bool
from hlo.lowering.linalg.loops import (
    Index,
    add,
    all_of,
    element,
    extract,
    first_trips,
    for_loop,
    if_else,
    index,
    insert,
    linear,
    maximum,
    minimum,
    mul,
    nest,
    parallel_nest,
    shape,
    sub,
    within,
    zero,
)
from hlo.lowering.linalg.reduction import is_sum
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.structured import fill
from hlo.lowering.linalg.windows.selections import Windows, scattered

Values = list[ir.Value]

NUMBERS = (ir.F64Type, ir.F32Type, ir.BF16Type, ir.F16Type, ir.IntegerType)
LEAST_ROW, MOST_CHOICES = 8, 16
"""Elements of a row from which on vectors are profitable; elements of a window up to which each is written out."""


@lowers(SelectAndScatterOp)
def lower_select_and_scatter(op: SelectAndScatterOp, lowering: Lowering) -> Values:
    operand, source = lowering[op.operand], lowering[op.source]
    start = tensor.extract(lowering[op.init_value], [])
    window = SelectionWindow(op, lowering)
    if not lowering.many_threads and window.suits_loop_nests(windows := window.windows(shape(source))):
        return [scattered(windows, operand, source, start, window.keeps)]
    result = fill(start, lowering.type(op.result.type))
    emit = window.in_parallel if lowering.many_threads else window.in_order

    def build(updated: Values, read: Values) -> Values:
        return [emit(*updated, *read)]

    trips = 1 if lowering.many_threads else window.independent(shape(source))
    return lowering.outline("select_and_scatter", [result], [operand, source], build, trips)


class SelectionWindow:
    """The window of a select_and_scatter over its operand, and its two computations."""

    def __init__(self, op: SelectAndScatterOp, lowering: Lowering):
        self.lowering = lowering
        self.selects = op.select.blocks[0]
        self.scatters = op.scatter.blocks[0]
        self.extents = shape(lowering[op.operand])
        self.sizes = op.window_dimensions
        self.strides = op.window_strides
        self.low = [low for low, _ in op.padding]
        self.padded = [d for d, ends in enumerate(op.padding) if max(ends) > 0]
        """Dimensions in which a window may reach outside the operand."""
        self.wide = [d for d, size in enumerate(self.sizes) if size > 1]
        """Dimensions in which a window has a choice."""

    def independent(self, windows: list[int]) -> int:
        """The iterations of the outermost loop over windows, if those of different iterations have no element in common; else 1."""
        outermost = next((d for d, n in enumerate(windows) if n != 1), 0)
        return first_trips(windows) if windows and self.sizes[outermost] <= self.strides[outermost] else 1

    @property
    def moves_along_rows(self) -> bool:
        """Whether adjacent windows choose among adjacent elements: `column_vectors` runs them in vectors."""
        return (
            bool(self.sizes)
            and self.sizes[-1] == 1
            and self.extents[-1] >= LEAST_ROW
            and prod(self.sizes) <= MOST_CHOICES
        )

    def windows(self, counts: Sequence[int]) -> Windows:
        """So many of them."""
        return Windows(self.sizes, self.strides, tuple(self.low), tuple(self.extents), tuple(counts))

    def suits_loop_nests(self, windows: Windows) -> bool:
        """Whether two loop nests are as fast as a loop over windows: it is faster where it runs in vectors and writes each element once."""
        kind = element_type(self.scatters.arguments[0].type)
        is_number = isinstance(kind, NUMBERS) and not is_bool(kind)
        is_faster = self.moves_along_rows and windows.are_apart
        return is_number and is_sum(self.scatters, 0) and not is_faster and windows.suit_loop_nests

    def scatter_along_rows(
        self, operand: ir.Value, source: ir.Value, position: list[Index], result: ir.Value
    ) -> ir.Value:
        """As scatter_from, without an address that is computed: every element of the window is written, as it was if it is not
        the one that is selected."""
        base, number = self._base(position), ir.IntegerType.get_signless(32)
        offsets = [list(o) for o in product(*(range(n) for n in self.sizes))]
        update = extract(source, position)
        state = [arith.constant(ir.IntegerType.get_signless(1), 0), zero(element(operand)), arith.constant(number, 0)]
        for own, offset in enumerate(offsets):
            candidate = [add(b, o) for b, o in zip(base, offset, strict=True)]
            better = lambda s, c, n: self._better(s, [extract(operand, c), arith.constant(number, n)])
            state = self._if_inside(candidate, state, partial(better, state, candidate, own))
        found, _, chosen = state
        for own, offset in enumerate(offsets):
            candidate = [add(b, o) for b, o in zip(base, offset, strict=True)]
            is_own = arith.cmpi(arith.CmpIPredicate.eq, chosen, arith.constant(number, own))
            write = partial(self._written, result, candidate, arith.andi(found, is_own), update)
            (result,) = self._if_inside(candidate, [result], write)
        return result

    def _written(self, result: ir.Value, position: list[Index], is_chosen: ir.Value, update: ir.Value) -> Values:
        old = extract(result, position)
        return [insert(arith.select(is_chosen, self.combine(old, update), old), result, position)]

    def _if_inside(self, position: list[Index], state: Values, then: Callable[[], Values]) -> Values:
        """What `then` gives, where a position is not in the padding; else the state as it is."""
        if not self.padded:
            return then()
        inside = all_of([within(position[d], self.extents[d]) for d in self.padded])
        return if_else(inside, [v.type for v in state], then, lambda: state)

    def in_order(self, result: ir.Value, operand: ir.Value, source: ir.Value) -> ir.Value:
        """One window after the other."""
        scatter = self.scatter_along_rows if self.moves_along_rows else self.scatter_from

        def one(position: list[Index], result: ir.Value) -> Values:
            return [scatter(operand, source, position, result)]

        return nest(shape(source), one, [result])[0]

    def in_parallel(self, result: ir.Value, operand: ir.Value, source: ir.Value) -> ir.Value:
        """A thread a window; where windows overlap, first what each selects, then a thread an element of the result, which
        looks at the windows that it is in."""
        if not prod(shape(source)) * prod(self.extents):
            return result
        if all(size <= stride for size, stride in zip(self.sizes, self.strides, strict=True)):

            def one(position: list[Index], result: ir.Value) -> Values:
                return [self.scatter_from(operand, source, position, result)]

            return parallel_nest(shape(source), one, [result])[0]
        selected = self._selections(operand, shape(source))

        def gather(position: list[Index], result: ir.Value) -> Values:
            own, old = linear(position, self.extents), extract(result, position)
            ranges = [self._windows(d, position[d], n) for d, n in enumerate(shape(source))]

            def offer(window: list[Index], value: ir.Value) -> Values:
                found = extract(selected, [linear(window, shape(source))])
                is_own = arith.cmpi(arith.CmpIPredicate.eq, found, index(own))
                combined = lambda: [self.combine(value, extract(source, window))]
                return if_else(is_own, [value.type], combined, lambda: [value])

            return [insert(_nest_within(ranges, offer, [old])[0], result, position)]

        return parallel_nest(self.extents, gather, [result])[0]

    def _selections(self, operand: ir.Value, windows: list[int]) -> ir.Value:
        """The number of the operand's element that each window selects; that behind the last one if it selects none."""
        numbers = tensor.empty([prod(windows)], ir.IndexType.get())

        def one(position: list[Index], numbers: ir.Value) -> Values:
            found, _, *selected = self.select(operand, position)
            number = arith.select(found, index(linear(selected, self.extents)), index(prod(self.extents)))
            return [insert(number, numbers, [linear(position, windows)])]

        return parallel_nest(windows, one, [numbers])[0]

    def _windows(self, d: int, position: Index, count: int) -> tuple[Index, Index]:
        """The first window along a dimension that a position is in, and the one behind the last."""
        stride, shifted = index(self.strides[d]), add(position, self.low[d])
        first = arith.divui(index(add(maximum(sub(shifted, self.sizes[d] - 1), 0), self.strides[d] - 1)), stride)
        end = arith.divui(index(maximum(add(shifted, self.strides[d]), 0)), stride)
        return first, minimum(end, count)

    def scatter_from(self, operand: ir.Value, source: ir.Value, position: list[Index], result: ir.Value) -> ir.Value:
        """The result with the source's element of the window at `position` scattered."""
        found, *selected = self.select(operand, position)
        if not self.padded:
            return self.scatter(result, selected, extract(source, position))
        return if_else(
            found,
            [result.type],
            lambda: [self.scatter(result, selected, extract(source, position))],
            lambda: [result],
        )[0]

    def select(self, operand: ir.Value, position: list[Index]) -> Values:
        """Which element of the window at `position` is selected: found (i1), its value, its index. Padding takes no
        part; nothing is found in a window of padding only."""
        base = self._base(position)
        nothing = [arith.constant(ir.IntegerType.get_signless(1), 0), zero(element(operand))]

        def visit(offset: list[Index], *state: ir.Value) -> Values:
            candidate = [index(add(b, o)) for b, o in zip(base, offset, strict=True)]
            better = lambda: self._better(state, [extract(operand, candidate), *(candidate[d] for d in self.wide)])
            return self._if_inside(candidate, list(state), better)

        found, value, *chosen = nest(self.sizes, visit, [*nothing, *(index(0) for _ in self.wide)])
        along = dict(zip(self.wide, chosen, strict=True))
        return [found, value, *(along.get(d, index(b)) for d, b in enumerate(base))]

    def _base(self, position: list[Index]) -> list[Index]:
        """Where the window at `position` begins."""
        return [sub(mul(p, stride), low) for p, stride, low in zip(position, self.strides, self.low, strict=True)]

    def _better(self, state: Sequence[ir.Value], candidate: Values) -> Values:
        """The state with `candidate` selected when it is the first or `select` prefers it."""
        found, *selected = state
        true = arith.constant(found.type, 1)
        keeps = arith.andi(found, self.keeps(selected[0], candidate[0]))
        return [true, *(arith.select(keeps, old, new) for old, new in zip(selected, candidate, strict=True))]

    def keeps(self, old: ir.Value, new: ir.Value) -> ir.Value:
        """Whether `select` prefers the first of two elements."""
        return scalar_block(self.lowering, self.selects, [old, new])[0]

    def scatter(self, result: ir.Value, selected: Values, update: ir.Value) -> ir.Value:
        _, *position = selected
        return insert(self.combine(extract(result, position), update), result, position)

    def combine(self, old: ir.Value, update: ir.Value) -> ir.Value:
        return scalar_block(self.lowering, self.scatters, [old, update])[0]


def _nest_within(ranges: Sequence[tuple[Index, Index]], body, carried: Values, outer: Sequence[Index] = ()) -> Values:
    """As nest, between bounds that are known when the program runs."""
    if len(outer) == len(ranges):
        return list(body(list(outer), *carried))
    start, end = ranges[len(outer)]
    return for_loop(start, end, lambda i, *inner: _nest_within(ranges, body, list(inner), [*outer, i]), carried)
