"""The types of the arguments that an op gives to the Python functions of its regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.types import element_type, shape, tensor


def _scalars(values: Sequence[ir.Value]) -> list[ir.Type]:
    return [tensor([], element_type(v.type)) for v in values]


def _twice(values: Sequence[ir.Value]) -> list[ir.Type]:
    return [*_scalars(values), *_scalars(values)]


def _types(values: Sequence[ir.Value]) -> list[ir.Type]:
    return [v.type for v in values]


def _pairs(values: Sequence[ir.Value]) -> list[ir.Type]:
    return [t for t in _scalars(values) for _ in range(2)]


def _scan(op: Any) -> list[ir.Type]:
    slices = []
    for value in op.inputs:
        sizes = shape(value.type)
        slices.append(tensor([*sizes[: op.dimension], *sizes[op.dimension + 1 :]], element_type(value.type)))
    return slices + _types(op.inits)


ARGUMENTS: dict[tuple[str, str], Callable[[Any], list[ir.Type]]] = {
    ("stablehlo.reduce", "body"): lambda op: _twice(op.init_values),
    ("stablehlo.reduce_window", "body"): lambda op: _twice(op.init_values),
    ("stablehlo.scatter", "update_computation"): lambda op: _twice(op.inputs),
    ("stablehlo.select_and_scatter", "select"): lambda op: _twice([op.operand]),
    ("stablehlo.select_and_scatter", "scatter"): lambda op: _twice([op.operand]),
    ("stablehlo.sort", "comparator"): lambda op: _pairs(op.inputs),
    ("stablehlo.map", "computation"): lambda op: _scalars(op.inputs),
    ("stablehlo.all_reduce", "computation"): lambda op: _twice(op.inputs[:1]),
    ("stablehlo.collective_reduce", "computation"): lambda op: _twice(op.inputs[:1]),
    ("stablehlo.reduce_scatter", "computation"): lambda op: _twice([op.operand]),
    ("stablehlo.while", "cond"): lambda op: _types(op.inputs),
    ("stablehlo.while", "body"): lambda op: _types(op.inputs),
    ("stablehlo.async_start", "body"): lambda op: _types(op.inputs),
    ("chlo.scan", "body"): _scan,
}
"""By op and region; a region that is not here takes no arguments."""
