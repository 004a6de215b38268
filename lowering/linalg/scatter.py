"""scatter and select_and_scatter, as "loops" kernels that update their first operands in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.dialect.attributes import ScatterDimensionNumbers
from hlo.dialect.stablehlo import ScatterOp, SelectAndScatterOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.lowering.linalg.loops import (
    Index,
    add,
    all_of,
    element,
    extract,
    if_else,
    index,
    insert,
    mul,
    nest,
    shape,
    sub,
    to_index,
    within,
    zero,
)
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalars import scalar_block
from hlo.lowering.linalg.structured import fill

Values = list[ir.Value]


@lowers(ScatterOp)
def lower_scatter(op: ScatterOp, lowering: Lowering) -> Values:
    inputs = [lowering[v] for v in op.inputs]
    updates = [lowering[v] for v in op.updates]
    unsigned = is_unsigned(element_type(op.scatter_indices.type))
    plan = ScatterPlan.of(op.scatter_dimension_numbers, shape(inputs[0]), shape(updates[0]))
    count = len(inputs)

    def build(*arguments: ir.Value) -> Values:
        indices, new = arguments[count], arguments[count + 1 :]

        def combine(old: Values, update: Values) -> Values:
            return scalar_block(lowering, op.update_computation.blocks[0], [*old, *update])

        def at_index(batch: list[Index], *results: ir.Value) -> Values:
            start = plan.start(indices, batch, unsigned)
            return if_else(
                plan.in_bounds(start),
                [v.type for v in results],
                lambda: nest(plan.window, lambda w, *state: update_one(start, batch, w, state), results),
                lambda: results,
            )

        def update_one(
            start: list[Index], batch: list[Index], window: list[Index], results: Sequence[ir.Value]
        ) -> Values:
            position, source = plan.target(start, window), plan.source(batch, window)
            old = [extract(v, position) for v in results]
            values = combine(old, [extract(v, source) for v in new])
            return [insert(value, into, position) for value, into in zip(values, results, strict=True)]

        return nest(plan.batch, at_index, arguments[:count])

    operands = [*inputs, lowering[op.scatter_indices], *updates]
    types = [v.type for v in inputs]
    return lowering.outline("scatter", operands, types, build, tied={i: i for i in range(count)})


@dataclass(frozen=True)
class ScatterPlan:
    """The index spaces of a scatter: `batch` runs over index vectors, `window` over the elements each one places.

    A window that is not wholly inside the input is skipped, as XLA does (the specification leaves it open)."""

    numbers: ScatterDimensionNumbers
    batch: list[int]
    window: list[int]
    """Sizes of the window dimensions, in the order of update_window_dims."""
    extents: list[int]
    """The shape of the inputs."""

    @staticmethod
    def of(numbers: ScatterDimensionNumbers, inputs: list[int], updates: list[int]) -> ScatterPlan:
        batch = [size for d, size in enumerate(updates) if d not in numbers.update_window_dims]
        return ScatterPlan(numbers, batch, [updates[d] for d in numbers.update_window_dims], inputs)

    @property
    def window_dims(self) -> list[int]:
        """The input dimension of each window dimension."""
        absent = (*self.numbers.inserted_window_dims, *self.numbers.input_batching_dims)
        return [d for d in range(len(self.extents)) if d not in absent]

    def start(self, indices: ir.Value, batch: list[Index], unsigned: bool) -> list[Index]:
        """The full start index of one index vector: one index an input dimension."""
        numbers = self.numbers
        start: list[Index] = [0] * len(self.extents)
        for component, dimension in enumerate(numbers.scatter_dims_to_operand_dims):
            position = list(batch)
            if numbers.index_vector_dim < len(shape(indices)):
                position.insert(numbers.index_vector_dim, component)
            start[dimension] = to_index(extract(indices, position), unsigned)
        # The batch position among the dimensions of scatter_indices without index_vector_dim.
        for dimension, index_dim in zip(
            numbers.input_batching_dims, numbers.scatter_indices_batching_dims, strict=True
        ):
            start[dimension] = batch[index_dim - (index_dim > numbers.index_vector_dim)]
        return start

    def in_bounds(self, start: list[Index]) -> ir.Value:
        """Whether the whole window lies in the input."""
        sizes = dict(zip(self.window_dims, self.window, strict=True))
        checked = self.numbers.scatter_dims_to_operand_dims
        return all_of([within(start[d], self.extents[d] - sizes.get(d, 1) + 1) for d in checked])

    def target(self, start: list[Index], window: list[Index]) -> list[Index]:
        """The input element of a window element."""
        position = list(start)
        for dimension, offset in zip(self.window_dims, window, strict=True):
            position[dimension] = add(start[dimension], offset)
        return position

    def source(self, batch: list[Index], window: list[Index]) -> list[Index]:
        """The update element of a window element."""
        rest, places = iter(batch), dict(zip(self.numbers.update_window_dims, window, strict=True))
        return [places[d] if d in places else next(rest) for d in range(len(batch) + len(window))]


@lowers(SelectAndScatterOp)
def lower_select_and_scatter(op: SelectAndScatterOp, lowering: Lowering) -> Values:
    operand, source = lowering[op.operand], lowering[op.source]
    result_type = operand.type
    result = fill(tensor.extract(lowering[op.init_value], []), operand.type)
    window = SelectionWindow(op, lowering)

    def build(result: ir.Value, operand: ir.Value, source: ir.Value) -> Values:
        def scatter_one(position: list[Index], result: ir.Value) -> Values:
            found, *selected = window.select(operand, position)
            return if_else(
                found,
                [result_type],
                lambda: [window.scatter(result, selected, extract(source, position))],
                lambda: [result],
            )

        return nest(shape(source), scatter_one, [result])

    return lowering.outline("select_and_scatter", [result, operand, source], [result_type], build, tied={0: 0})


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

    def select(self, operand: ir.Value, position: list[Index]) -> Values:
        """Which element of the window at `position` is selected: found (i1), its value, its index. Padding takes no
        part; nothing is found in a window of padding only."""
        base = [sub(mul(p, stride), low) for p, stride, low in zip(position, self.strides, self.low, strict=True)]
        nothing = [arith.constant(ir.IntegerType.get_signless(1), 0), zero(element(operand))]

        def visit(offset: list[Index], *state: ir.Value) -> Values:
            candidate = [index(add(b, o)) for b, o in zip(base, offset, strict=True)]
            better = lambda: self._better(state, [extract(operand, candidate), *candidate])
            if not self.padded:
                return better()
            inside = all_of([within(candidate[d], self.extents[d]) for d in self.padded])
            return if_else(inside, [v.type for v in state], better, lambda: state)

        return nest(self.sizes, visit, [*nothing, *(index(0) for _ in self.extents)])

    def _better(self, state: Sequence[ir.Value], candidate: Values) -> Values:
        """The state with `candidate` selected when it is the first or `select` prefers it."""
        found, *selected = state
        true = arith.constant(found.type, 1)
        keeps = scalar_block(self.lowering, self.selects, [selected[0], candidate[0]])[0]
        keeps = arith.andi(found, keeps)
        return [true, *(arith.select(keeps, old, new) for old, new in zip(selected, candidate, strict=True))]

    def scatter(self, result: ir.Value, selected: Values, update: ir.Value) -> ir.Value:
        _, *position = selected
        value = scalar_block(self.lowering, self.scatters, [extract(result, position), update])[0]
        return insert(value, result, position)
