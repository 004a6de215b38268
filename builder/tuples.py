"""Tuples where StableHLO takes several values: flattened before an op, and put together after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mlir import ir

from hlo.builder.value import Value

if TYPE_CHECKING:
    from hlo.builder.core import Core


def is_tuple(value: Any) -> bool:
    return isinstance(value, Value) and isinstance(value.type, ir.TupleType)


def parts(value: Value) -> list[Value]:
    """The elements of a tuple, of nested ones too; any other value alone."""
    if not is_tuple(value):
        return [value]
    return [leaf for part in value for leaf in parts(part)]


def flat(values: Sequence[Any]) -> list[Any]:
    """Values with the elements of tuples instead of tuples; numbers and arrays as they are."""
    return [leaf for value in values for leaf in (parts(value) if is_tuple(value) else [value])]


def together(core: Core, types: Sequence[ir.Type], leaves: Sequence[Value]) -> list[Value]:
    """Values of the types from what `flat` gave."""
    remaining = iter(leaves)
    return [_one(core, t, remaining) for t in types]


def _one(core: Core, wanted: ir.Type, leaves: Iterator[Value]) -> Value:
    if not isinstance(wanted, ir.TupleType):
        return next(leaves)
    types = [wanted.get_type(i) for i in range(wanted.num_types)]
    return core.op("tuple", *[_one(core, t, leaves) for t in types])
