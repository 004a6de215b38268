"""MLIR attributes as Python values, for configurations of custom calls."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.attributes import integer_value
from hlo.dialect.elements import read_elements


def python_value(attribute: ir.Attribute) -> Any:
    """Strings, numbers, arrays, dictionaries and dense elements as str, int, float, list, dict and numpy arrays; other
    kinds as their text."""
    for kind, convert in _CONVERSIONS:
        if isinstance(attribute, kind):
            return convert(attribute)
    return str(attribute)


def number_types(dictionary: ir.Attribute) -> dict[str, Any]:
    """The element types of a dictionary's numbers by their names, a dictionary of them for one inside; other values have none."""
    found: dict[str, Any] = {}
    for one in ir.DictAttr(dictionary):
        if isinstance(one.attr, ir.DictAttr):
            found[one.name] = number_types(one.attr)
        elif isinstance(one.attr, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr):
            found[one.name] = str(one.attr.type)
    return found


_CONVERSIONS: tuple[tuple[Any, Any], ...] = (
    (ir.StringAttr, lambda a: a.value),
    (ir.BoolAttr, lambda a: a.value),
    (ir.IntegerAttr, integer_value),
    (ir.FloatAttr, lambda a: a.value),
    (ir.DenseI64ArrayAttr, list),
    (ir.DenseI32ArrayAttr, list),
    (ir.DenseBoolArrayAttr, list),
    (ir.DenseElementsAttr, read_elements),
    (ir.ArrayAttr, lambda a: [python_value(x) for x in a]),
    (ir.DictAttr, lambda a: {x.name: python_value(x.attr) for x in a}),
)
