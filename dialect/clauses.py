"""Clauses that many ops share, as functions that return None or what was found and what is allowed: lists of
dimensions (in range, unique, sorted, of a size), sizes, element types."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.types import (
    DYNAMIC,
    compatible_baselines,
    compatible_elements,
    compatible_shapes,
    compatible_sizes,
    element_type,
    shape,
)

_LARGEST_SIZE = 2**63 - 1


def listed(values: Iterable[Any]) -> str:
    return f"[{', '.join('?' if v == DYNAMIC else str(v) for v in values)}]"


def range_error(name: str, values: Sequence[int], limit: int) -> str | None:
    """Whether all values are in [0, limit)."""
    if all(0 <= v < limit for v in values):
        return None
    return f"{name} must be in [0, {limit}), found {listed(values)}"


def index_error(name: str, value: int, limit: int) -> str | None:
    """Whether one value is in [0, limit)."""
    return None if 0 <= value < limit else f"{name} must be in [0, {limit}), found {value}"


def unique_error(name: str, values: Sequence[int]) -> str | None:
    if len(set(values)) == len(values):
        return None
    return f"{name} must be unique, found {listed(values)}"


def sorted_error(name: str, values: Sequence[int]) -> str | None:
    if all(a <= b for a, b in itertools.pairwise(values)):
        return None
    return f"{name} must be sorted, found {listed(values)}"


def unique_and_sorted_error(name: str, values: Sequence[int]) -> str | None:
    return unique_error(name, values) or sorted_error(name, values)


def count_error(name: str, values: Sequence[Any], count: int, reason: str) -> str | None:
    """Whether there are `count` values; `reason` says where the count comes from ("the rank of operand")."""
    if len(values) == count:
        return None
    return f"{name} must have size {count} ({reason}), found {len(values)}"


def minimum_error(name: str, values: Sequence[int], least: int) -> str | None:
    if all(v >= least for v in values):
        return None
    return f"{name} must be at least {least}, found {listed(values)}"


def representable_error(name: str, sizes: Sequence[int]) -> str | None:
    """Whether computed sizes can be sizes of a tensor type."""
    if all(size == DYNAMIC or 0 <= size <= _LARGEST_SIZE for size in sizes):
        return None
    return f"sizes of {name} must be in [0, 2^63), found {listed(sizes)}"


def padding_error(padding: Sequence[Sequence[int]], count: int, reason: str) -> str | None:
    """Whether padding is a matrix of two columns, a row a dimension."""
    columns = len(padding[0]) if padding else 2
    if len(padding) == count and columns == 2:
        return None
    return f"padding must have shape [{count}, 2] ({reason}), found [{len(padding)}, {columns}]"


def same_shapes_error(name: str, types: Sequence[ir.Type]) -> str | None:
    if all(compatible_shapes(types[0], t) for t in types):
        return None
    return f"{name} must have one shape, found {', '.join(map(str, types))}"


def same_elements_error(name: str, types: Sequence[ir.Type]) -> str | None:
    elements = [element_type(t) for t in types]
    if all(compatible_elements(elements[0], e) for e in elements):
        return None
    return f"{name} must have one element type, found {', '.join(map(str, elements))}"


def same_baselines_error(name: str, types: Sequence[ir.Type]) -> str | None:
    """As same_elements_error, but scales and zero points may be others."""
    elements = [element_type(t) for t in types]
    if all(compatible_baselines(elements[0], e) for e in elements):
        return None
    return f"{name} must have one element type, found {', '.join(map(str, elements))}"


def pairwise_elements_error(
    first_name: str, first: Sequence[ir.Type], second_name: str, second: Sequence[ir.Type]
) -> str | None:
    """Whether the element types of two lists agree, position by position."""
    for position, (a, b) in enumerate(zip(first, second)):
        error = same_elements_error(f"{first_name}[{position}] and {second_name}[{position}]", [a, b])
        if error:
            return error
    return None


def shape_error(name: str, found: ir.Type, wanted: Sequence[int]) -> str | None:
    """Whether a tensor has the wanted sizes, as far as both are known."""
    sizes = shape(found)
    if len(sizes) == len(wanted) and all(map(compatible_sizes, sizes, wanted)):
        return None
    return f"{name} must have shape {listed(wanted)}, found {listed(sizes)}"


def vector_size_error(name: str, vector: ir.Type, count: int, reason: str) -> str | None:
    """Whether a 1-dimensional tensor has `count` elements, as far as that is known."""
    if compatible_sizes(shape(vector)[0], count):
        return None
    return f"{name} must have size {count} ({reason}), found {shape(vector)[0]}"
