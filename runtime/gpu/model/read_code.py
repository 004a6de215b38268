"""From a module after the phase "device" to the code that the model runs (code.py)."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import read_elements
from hlo.dialect.numpy_types import dtype_name


def code_of(module: ir.Module) -> str:
    """The device code of a module, as JSON text."""
    device = next(op for op in module.body.operations if op.operation.name == "gpu.module")
    ops = [op.operation for op in device.regions[0].blocks[0].operations]
    functions = [_function(op) for op in ops if op.name == "gpu.func"]
    tables = {_name(op): _elements(op.attributes["initial_value"]) for op in ops if op.name == "memref.global"}
    return json.dumps({"functions": functions, "tables": tables}, separators=(",", ":"))


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _function(op: ir.Operation) -> dict[str, Any]:
    values = _Values()
    parameters = len(ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value).inputs)
    body = _block(op.regions[0].blocks[0], values)
    return {"name": _name(op), "parameters": parameters, "types": values.types, "body": body}


class _Values:
    """Numbers of the values of one function, in the order in which they are met."""

    def __init__(self) -> None:
        self.numbers: dict[ir.Value, int] = {}
        self.types: list[Any] = []
        self.known: dict[ir.Type, list[Any]] = {}

    def all(self, values: Any) -> list[int]:
        return [self._number(v) for v in values]

    def _number(self, value: ir.Value) -> int:
        number = self.numbers.get(value)
        if number is None:
            number = self.numbers[value] = len(self.types)
            kind = value.type
            if kind not in self.known:
                self.known[kind] = _type(kind)
            self.types.append(self.known[kind])
        return number


def _type(kind: ir.Type) -> list[Any]:
    if isinstance(kind, ir.MemRefType):
        return ["memref", list(kind.shape), str(kind.element_type)]
    if isinstance(kind, ir.VectorType):
        return ["vector", list(kind.shape), str(kind.element_type)]
    is_scalar = isinstance(kind, ir.IntegerType | ir.IndexType | ir.FloatType | ir.ComplexType)
    return ["scalar" if is_scalar else "other", [], str(kind)]


def _block(block: ir.Block, values: _Values) -> list[Any]:
    return [values.all(block.arguments), [_op(op.operation, values) for op in block.operations]]


def _op(op: ir.Operation, values: _Values) -> list[Any]:
    blocks = [_block(r.blocks[0], values) if len(r.blocks) else [[], []] for r in op.regions]
    attributes = {name: _attribute(op.attributes[name]) for name in op.attributes}
    return [op.name, values.all(op.operands), values.all(op.results), attributes, blocks]


def _attribute(attribute: ir.Attribute) -> Any:
    return CONVERSIONS.get(type(attribute), str)(attribute)


def _integer(attribute: Any) -> int:
    """Wrapped into the signed range of its type."""
    width = 64 if isinstance(attribute.type, ir.IndexType) else ir.IntegerType(attribute.type).width
    value = attribute.value & ((1 << width) - 1)
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def _elements(attribute: Any) -> dict[str, Any]:
    found = read_elements(attribute)
    assert found is not None, "device code has numpy types only"
    array = np.ascontiguousarray(found)
    return {"bytes": array.tobytes().hex(), "shape": list(found.shape), "dtype": dtype_name(array.dtype)}


CONVERSIONS: dict[Any, Any] = {
    ir.BoolAttr: lambda a: int(a.value),
    ir.IntegerAttr: _integer,
    ir.FloatAttr: lambda a: a.value,
    ir.StringAttr: lambda a: a.value,
    ir.FlatSymbolRefAttr: lambda a: a.value,
    ir.DenseI64ArrayAttr: lambda a: list(a),
    ir.DenseElementsAttr: _elements,
    ir.DenseFPElementsAttr: _elements,
    ir.DenseIntElementsAttr: _elements,
    ir.ArrayAttr: lambda a: [_attribute(one) for one in a],
}
"""By the class of an attribute; others are kept as their text."""
