"""Shapes, parts and products of arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.builder.elementwise import ElementwiseMethods
from hlo.builder.type_syntax import element_of
from hlo.builder.value import Value
from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.types import element_type
from hlo.errors import ArgumentError


class ArrayMethods(ElementwiseMethods):
    def reshape(
        self, operand: Any, new_sizes: Sequence[int] | None = None, *, dimensions: Any = None, result_type: Any = None
    ) -> Value:
        """The elements in another shape. `dimensions`: the order, most major first, in which the operand's dimensions are
        flattened before (XLA's Reshape(operand, dimensions, new_sizes))."""
        value = self.value(operand)
        if dimensions is not None:
            value = self.transpose(value, dimensions)
        sizes = None if new_sizes is None else _sizes(new_sizes, value)
        return self.op("reshape", value, sizes=sizes, result_type=result_type)

    def collapse(self, operand: Any, dimensions: Sequence[int]) -> Value:
        """Consecutive dimensions as one (XLA's Collapse)."""
        value, wanted = self.value(operand), list(dimensions)
        consecutive = wanted == list(range(wanted[0], wanted[0] + len(wanted))) if wanted else True
        if not consecutive or any(not 0 <= d < value.rank for d in wanted):
            raise ArgumentError(f"collapse takes consecutive dimensions in [0, {value.rank}) in order, found {wanted}")
        if len(wanted) < 2:
            return value
        sizes = [_static(n) for n in value.shape]
        middle = math.prod(sizes[d] for d in wanted)
        return self.reshape(value, [*sizes[: wanted[0]], middle, *sizes[wanted[-1] + 1 :]])

    def transpose(self, operand: Any, permutation: Sequence[int] | None = None) -> Value:
        """Dimensions in another order; reversed when none is given (XLA's Trans)."""
        value = self.value(operand)
        order = list(permutation) if permutation is not None else list(range(value.rank))[::-1]
        return self.op("transpose", value, order)

    def rev(self, operand: Any, dimensions: Sequence[int]) -> Value:
        """XLA's Rev: elements in the reverse order along the dimensions."""
        return self.op("reverse", operand, list(dimensions))

    def iota(self, iota_dimension: int, sizes: Any = None, dtype: Any = "i32", *, result_type: Any = None) -> Value:
        """0, 1, 2, ... along a dimension of an array of the given sizes."""
        return self.op("iota", iota_dimension, dtype=dtype, sizes=sizes, result_type=result_type)

    def slice(self, operand: Any, start_indices: Any, limit_indices: Any, strides: Any = None) -> Value:
        return self.op("slice", operand, start_indices, limit_indices, strides or [1] * len(start_indices))

    def slice_in_dim(self, operand: Any, start: int, limit: int, stride: int = 1, dimension: int = 0) -> Value:
        """A slice along one dimension, whole in the others."""
        value = self.value(operand)
        starts, limits, strides = [0] * value.rank, list(value.shape), [1] * value.rank
        starts[dimension], limits[dimension], strides[dimension] = start, limit, stride
        return self.slice(value, starts, limits, strides)

    def dynamic_slice(self, operand: Any, start_indices: Any, slice_sizes: Sequence[int]) -> Value:
        """A slice of static sizes at indices known at run time: scalars, or XLA's vector of them."""
        return self.op("dynamic_slice", operand, self._scalars(start_indices), slice_sizes)

    def dynamic_update_slice(self, operand: Any, update: Any, start_indices: Any) -> Value:
        return self.op("dynamic_update_slice", operand, update, self._scalars(start_indices))

    def _scalars(self, indices: Any) -> list[Any]:
        """The elements of a vector of indices as scalars."""
        if isinstance(indices, Value) and indices.rank == 1:
            return list(indices)
        return list(indices) if isinstance(indices, (list, tuple, np.ndarray)) else [indices]

    def concatenate(self, *inputs: Any, dimension: int) -> Value:
        return self.op("concatenate", *inputs, dimension=dimension)

    def concat_in_dim(self, operands: Sequence[Any], dimension: int) -> Value:
        """XLA's ConcatInDim."""
        return self.op("concatenate", *operands, dimension=dimension)

    def pad(
        self,
        operand: Any,
        padding_value: Any,
        edge_padding_low: Any,
        edge_padding_high: Any = None,
        interior_padding: Any = None,
    ) -> Value:
        """Padding by lists of low, high and interior amounts, or XLA's configuration: one (low, high, interior) a
        dimension."""
        if edge_padding_high is None:
            rows = [(*row, 0)[:3] for row in edge_padding_low]
            edge_padding_low, edge_padding_high, interior_padding = ([row[i] for row in rows] for i in range(3))
        interior = interior_padding if interior_padding is not None else [0] * len(edge_padding_low)
        return self.op("pad", operand, padding_value, edge_padding_low, edge_padding_high, interior)

    def index(self, operand: Value, index: Any) -> Any:
        """`operand[index]`: integers, slices, `...`, None, and scalar values (clamped into range) as in numpy."""
        if "tuple<" in str(operand.type)[:6]:
            return self.op("get_tuple_element", operand, index)
        parts = _expanded(index if isinstance(index, tuple) else (index,), operand)
        taken = [part for part in parts if part is not None]
        result = self._take(operand, taken)
        sizes = [1 if part is None else size for part, size in _kept(parts, result.shape)]
        return result if sizes == list(result.shape) else self.reshape(result, sizes)

    def _take(self, operand: Value, parts: Sequence[Any]) -> Value:
        """Every part keeps its dimension: an integer as one of size 1."""
        result = operand
        for dimension, part in enumerate(parts):
            if isinstance(part, Value):
                starts: list[Any] = [self.constant(0, element_type(part.type))] * result.rank
                starts[dimension] = part
                sizes = [1 if d == dimension else n for d, n in enumerate(result.shape)]
                result = self.dynamic_slice(result, starts, sizes)  # type: ignore[arg-type]
        ranges = [_range(part, _static(size)) for part, size in zip(parts, result.shape)]
        reversed_ = [d for d, (_, _, step) in enumerate(ranges) if step < 0]
        forward = [_forward(r) for r in ranges]
        if forward != [(0, n, 1) for n in result.shape]:
            result = self.slice(result, *(list(column) for column in zip(*forward)))
        return self.rev(result, reversed_) if reversed_ else result

    def matmul(self, lhs: Any, rhs: Any) -> Value:
        """numpy's product: of vectors, matrices, and stacks of matrices with equal leading dimensions."""
        model = lhs if isinstance(lhs, Value) else rhs
        left, right = self.value(lhs, model), self.value(rhs, model)
        batch = max(min(left.rank, right.rank) - 2, 0)
        batching = tuple(range(batch))
        contracting = (left.rank - 1,), (max(right.rank - 2, 0),)
        return self.op("dot_general", left, right, DotDimensionNumbers(batching, batching, *contracting))

    def dot(self, lhs: Any, rhs: Any, precision_config: Any = None, **named: Any) -> Value:
        """XLA's Dot: the last dimension of lhs meets the last but one of rhs, or its only one; a scalar counts as a vector of
        one element there. Vectors and matrices are the op `dot`, others `dot_general`."""
        model = lhs if isinstance(lhs, Value) else rhs
        left, right = self.value(lhs, model), self.value(rhs, model)
        if {left.rank, right.rank} <= {1, 2}:
            return self.op("dot", left, right, precision_config=precision_config, **named)
        left, right = (self.reshape(v, [1]) if v.rank == 0 else v for v in (left, right))
        contracting = (left.rank - 1,), (max(right.rank - 2, 0),)
        numbers = DotDimensionNumbers((), (), *contracting)
        if precision_config is not None:
            named["precision_config"] = precision_config
        return self.op("dot_general", left, right, numbers, **named)

    def uniform_scalar(self, value: float, dtype: Any) -> Value:
        """A scalar constant of an element type."""
        return self.constant(value, element_of(dtype))


def _static(size: int | None) -> int:
    if size is None:
        raise ArgumentError("a size that is known at run time only stands where a static one is needed")
    return size


def _sizes(new_sizes: Sequence[int], value: Value) -> tuple[int, ...]:
    """Sizes with at most one -1, which takes what is left."""
    sizes = [int(n) for n in new_sizes]
    if sizes.count(-1) == 1:
        known = math.prod(n for n in sizes if n != -1)
        sizes[sizes.index(-1)] = math.prod(_static(n) for n in value.shape) // max(known, 1)
    return tuple(sizes)


def _expanded(parts: tuple[Any, ...], operand: Value) -> list[Any]:
    """One part a dimension, and the Nones between them."""
    given = sum(1 for p in parts if p is not None and p is not Ellipsis)
    if given > operand.rank or sum(p is Ellipsis for p in parts) > 1:
        raise ArgumentError(f"index has {given} parts for rank {operand.rank}")
    rest = [slice(None)] * (operand.rank - given)
    if not any(p is Ellipsis for p in parts):
        return [*parts, *rest]
    at = next(i for i, p in enumerate(parts) if p is Ellipsis)
    return [*parts[:at], *rest, *parts[at + 1 :]]


def _range(part: Any, size: int) -> tuple[int, int, int]:
    if isinstance(part, Value):
        return 0, 1, 1
    if isinstance(part, slice):
        return part.indices(size)
    position = int(part)
    if not -size <= position < size:
        raise ArgumentError(f"index {position} is out of range for a dimension of size {size}")
    position %= size
    return position, position + 1, 1


def _forward(found: tuple[int, int, int]) -> tuple[int, int, int]:
    """The same elements in increasing order."""
    start, stop, step = found
    count = len(range(start, stop, step))
    if count == 0:
        return 0, 0, 1
    if step > 0:
        return start, stop, step
    return start + (count - 1) * step, start + 1, -step


def _kept(parts: Sequence[Any], sizes: Sequence[int | None]) -> list[tuple[Any, Any]]:
    """The dimensions of the result: those of slices, and a new one a None."""
    remaining = iter(sizes)
    pairs = [(part, None if part is None else next(remaining)) for part in parts]
    return [(part, size) for part, size in pairs if part is None or isinstance(part, slice)]
