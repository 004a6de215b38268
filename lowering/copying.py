"""Ops again, at the insertion point: with other values in them, or with other operands and types of results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.lowering.finding import each, regions_of


def cloned(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> ir.Operation:
    """A copy that uses the new values; its results become those of the old ones."""
    copy = op.clone()
    remap(copy, values)
    values.update(zip(op.results, copy.results))
    return copy


def cloned_with(op: Any, operands: Sequence[ir.Value], types: Sequence[ir.Type]) -> ir.Operation:
    """A copy on other operands, whose results have other types."""
    copy: ir.Operation = op.operation.clone()
    for number, value in enumerate(operands):
        copy.operands[number] = value
    for result, kind in zip(copy.results, types, strict=True):
        result.set_type(kind)
    return copy


def remap(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> None:
    """Operands, also of nested ops, that are old values become the new ones."""
    for position, operand in enumerate(op.operands):
        if operand in values:
            op.operands[position] = values[operand]
    for region in regions_of(op):
        for block in each(region.blocks):
            for inner in each(block.operations):
                remap(inner.operation, values)


def attributes_of(op: Any, *without: str) -> dict[str, ir.Attribute]:
    return {name: op.attributes[name] for name in op.attributes if name not in without}


def remade(op: Any, operands: Sequence[ir.Value], types: Sequence[ir.Type]) -> ir.Operation:
    """An op of the same name and attributes; its regions have no blocks yet."""
    return ir.Operation.create(
        op.operation.name, list(types), list(operands), attributes_of(op), regions=len(op.regions)
    )
