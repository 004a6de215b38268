"""A call's arguments, sorted into an op's operands, region functions and attributes.

Positions follow the declarations: operands, then regions, then attributes; each may also be given by its name. A group of
several operands takes a list (or one value); an op whose operands are one such group, and that has no regions, takes all
of them as positions: `concatenate(x, y, dimension=0)`."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hlo.builder.value import Value
from hlo.dialect.definition import Op
from hlo.dialect.types import element_type, is_bool
from hlo.errors import ArgumentError

INDICES = {
    "start_indices",
    "scatter_indices",
    "limit_indices",
    "strides",
    "index",
    "size",
    "group_sizes",
    "padding",
    "edge_padding_low",
    "edge_padding_high",
    "interior_padding",
}
SHAPES = {"output_shape", "output_dimensions", "dynamic_shape", "shape", "slice_sizes"}
"""Operands that hold positions or sizes: Python numbers in them are i32, or i64, whatever the other operands are."""


@dataclass
class Call:
    groups: list[list[Any]]
    """Operands by declaration, Python numbers and arrays still among them."""
    functions: list[Any]
    attributes: dict[str, Any]


def method_name(mnemonic: str) -> str:
    name = mnemonic.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def bind(cls: type[Op], arguments: Sequence[Any], keywords: dict[str, Any]) -> Call:
    """Raises ArgumentError for what does not fit the declarations."""
    operands, regions, attributes = ([d.name for d in ds] for ds in (cls.OPERANDS, cls.REGIONS, cls.ATTRIBUTES))
    if len(operands) == 1 and cls.OPERANDS[0].variadic and not regions and operands[0] not in keywords:
        arguments = (_flat(arguments),)
    names = [*operands, *regions, *attributes]
    if len(arguments) > len(names):
        raise ArgumentError(f"{cls.OPERATION_NAME} takes {', '.join(names)}; found {len(arguments)} arguments")
    given = {**dict(zip(names, arguments)), **keywords}
    for name in given:
        if name not in names:
            raise ArgumentError(f"{cls.OPERATION_NAME} has no argument {name!r}; it takes {', '.join(names)}")
    for name in (*operands, *(r.name for r in cls.REGIONS if not r.variadic)):
        if name not in given:
            raise ArgumentError(f"{cls.OPERATION_NAME} needs {name}; it takes {', '.join(names)}")
    groups = [_flat((given[g.name],)) if g.variadic else [given[g.name]] for g in cls.OPERANDS]
    functions = [f for r in cls.REGIONS for f in (_flat((given.get(r.name, ()),)) if r.variadic else [given[r.name]])]
    return Call(groups, functions, {n: given[n] for n in attributes if n in given})


def _flat(arguments: Sequence[Any]) -> list[Any]:
    """`f(x, y)` and `f([x, y])` are the same."""
    single = len(arguments) == 1 and isinstance(arguments[0], (list, tuple))
    return list(arguments[0]) if single else list(arguments)


def model_of(cls: type[Op], call: Call, group: int, position: int) -> Value | str | None:
    """The value whose element type a Python number in this position takes, or that type's name."""
    name = cls.OPERANDS[group].name
    if name in INDICES or name in SHAPES:
        return "i32" if name in INDICES else "i64"
    neighbours = [g[position] for g in call.groups if len(g) > position and isinstance(g[position], Value)]
    values = neighbours or [v for g in call.groups for v in g if isinstance(v, Value)]
    return next((v for v in values if not is_bool(element_type(v.type))), values[0] if values else None)
