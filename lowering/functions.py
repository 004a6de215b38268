"""The functions of a module: their types, and the attributes of their arguments and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir

SIDES = ("arg_attrs", "res_attrs")
"""The attributes of a function that hold an entry for each argument, and for each result."""

Entry = Mapping[str, ir.Attribute]


def defined_functions(module: Any) -> list[Any]:
    """Those with a body."""
    return [op for op in module.body.operations if op.operation.name == "func.func" and not op.is_external]


def entries_of(function: Any, side: str) -> list[dict[str, ir.Attribute]]:
    """The attributes of each argument or result; [] where none has any."""
    attributes = function.operation.attributes
    entries = ir.ArrayAttr(attributes[side]) if side in attributes else ()
    return [{named.name: named.attr for named in ir.DictAttr(entry)} for entry in entries]


def set_entries(function: Any, side: str, entries: Sequence[Entry]) -> None:
    context = function.operation.context
    dictionaries = [ir.DictAttr.get(dict(entry), context=context) for entry in entries]
    function.operation.attributes[side] = ir.ArrayAttr.get(dictionaries, context=context)


def set_type(function: Any, inputs: Sequence[ir.Type], results: Sequence[ir.Type]) -> None:
    kind = ir.FunctionType.get(list(inputs), list(results), context=function.operation.context)
    function.operation.attributes["function_type"] = ir.TypeAttr.get(kind)


def add_arguments(function: Any, types: Sequence[ir.Type]) -> list[ir.Value]:
    """More arguments for a function, behind those that it has."""
    block = function.regions[0].blocks[0]
    added = [block.add_argument(t, function.location) for t in types]
    kind = ir.FunctionType(ir.TypeAttr(function.operation.attributes["function_type"]).value)
    set_type(function, [*kind.inputs, *types], kind.results)
    if SIDES[0] in function.operation.attributes:  # also where it has no entry yet
        set_entries(function, SIDES[0], [*entries_of(function, SIDES[0]), *({} for _ in types)])
    return added
