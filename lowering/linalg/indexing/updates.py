"""What a scatter does, for whoever decides in which order: index spaces, and the update of one element."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from hlo.dialect.attributes import ScatterDimensionNumbers
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, all_of, extract, if_else, load, nest, shape, store, to_index, within

Values = list[ir.Value]


@dataclass(frozen=True)
class Updates:
    """The operands of a scatter: `indices` (`unsigned`, as its StableHLO type says), an array of `new` values for each
    result, and `combine`: the old values and those of one update to the new ones."""

    plan: ScatterPlan
    indices: ir.Value
    unsigned: bool
    new: Sequence[ir.Value]
    combine: Callable[[Values, Values], Values]

    def start(self, batch: list[Index]) -> list[Index]:
        return self.plan.start(self.indices, batch, self.unsigned)

    def combined(self, old: Values, batch: list[Index], window: list[Index]) -> Values:
        source = self.plan.source(batch, window)
        return self.combine(old, load(self.new, source))

    def in_order(self, results: Sequence[ir.Value]) -> Values:
        """All updates, one after the other."""
        return nest(self.plan.batch, self.one_window, results)

    def one_window(self, batch: list[Index], *results: ir.Value) -> Values:
        """Updates the elements of a window, if it is inside."""
        each = lambda start: nest(self.plan.window, lambda w, *state: self._element(start, batch, w, state), results)
        return self._if_inside(batch, results, each)

    def one_element(self, batch: list[Index], window: list[Index], *results: ir.Value) -> Values:
        """Updates one element of a window, if that is inside."""
        return self._if_inside(batch, results, lambda start: self._element(start, batch, window, results))

    def _if_inside(
        self, batch: list[Index], results: Sequence[ir.Value], update: Callable[[list[Index]], Values]
    ) -> Values:
        """The results that `update` makes, from where the window begins; as they are where it is not inside."""
        start = self.start(batch)
        return if_else(self.plan.in_bounds(start), [v.type for v in results], lambda: update(start), lambda: results)

    def _element(
        self, start: list[Index], batch: list[Index], window: list[Index], results: Sequence[ir.Value]
    ) -> Values:
        position = self.plan.target(start, window)
        return store(self.combined(load(results, position), batch, window), results, position)


@dataclass(frozen=True)
class ScatterPlan:
    """The index spaces of a scatter: `batch` runs over index vectors, `window` over the elements of each update.

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

    @property
    def is_aligned(self) -> bool:
        """Whether two windows that are inside are one and the same or have no element in common."""
        sizes = dict(zip(self.window_dims, self.window, strict=True))
        moved = self.numbers.scatter_dims_to_operand_dims
        return all(sizes.get(d, 1) in (0, 1, self.extents[d]) for d in moved)

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
        rest, window_index = iter(batch), dict(zip(self.numbers.update_window_dims, window, strict=True))
        return [window_index[d] if d in window_index else next(rest) for d in range(len(batch) + len(window))]
