"""Integers that a program's text gives: those of constants, and what simple ops make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.dialect.elements import read_elements
from hlo.dialect.numpy_types import is_whole
from hlo.dialect.types import DYNAMIC, element_type, rank, shape

MOST_OPS = 8
"""Ops between a constant and its reader."""
MOST_INTEGERS = 1024


def constant_integers(value: ir.Value, ops: int = MOST_OPS) -> list[int] | None:
    """The integers of a value, row by row; None when it is computed by other ops than those of `_RULES`."""
    owner = value.owner
    if isinstance(owner, ir.Block) or not ops:
        return None
    rule = _RULES.get(owner.name)
    found = rule(owner, lambda operand: constant_integers(operand, ops - 1)) if rule else None
    return found if found is None or len(found) <= MOST_INTEGERS else None


Known = Callable[[ir.Value], "list[int] | None"]


def _of_constant(op: Any, known: Known) -> list[int] | None:
    elements = read_elements(op.attributes["value"])
    if elements is None or not is_whole(elements.dtype):
        return None
    return [int(i) for i in elements.reshape(-1)]


def _of_operand(op: Any, known: Known) -> list[int] | None:
    return known(op.operands[0])


def _of_convert(op: Any, known: Known) -> list[int] | None:
    element, found = element_type(op.results[0].type), known(op.operands[0])
    if found is None or not isinstance(element, ir.IntegerType) or element.width == 1:
        return found if isinstance(element, ir.IndexType) else None
    return [_wrapped(n, element) for n in found]


def _wrapped(number: int, element: ir.IntegerType) -> int:
    low = 0 if element.is_unsigned else -(1 << (element.width - 1))
    return (number - low) % (1 << element.width) + low


def _of_concatenate(op: Any, known: Known) -> list[int] | None:
    found = [known(v) for v in op.operands] if rank(op.results[0].type) == 1 else [None]
    return None if None in found else [n for part in found for n in part]  # type: ignore[union-attr]


def _of_broadcast(op: Any, known: Known) -> list[int] | None:
    """Of one element, to a vector."""
    sizes, found = shape(op.results[0].type), known(op.operands[0])
    is_vector = found is not None and len(found) == 1 and len(sizes) == 1 and 0 <= sizes[0] <= MOST_INTEGERS
    return found * sizes[0] if found and is_vector else None


def _of_dimension_size(op: Any, known: Known) -> list[int] | None:
    sizes, dimension = shape(op.operands[0].type), ir.IntegerAttr(op.attributes["dimension"]).value
    return [sizes[dimension]] if 0 <= dimension < len(sizes) and sizes[dimension] != DYNAMIC else None


_RULES: dict[str, Callable[[Any, Known], list[int] | None]] = {
    "stablehlo.constant": _of_constant,
    "stablehlo.reshape": _of_operand,
    "stablehlo.convert": _of_convert,
    "stablehlo.concatenate": _of_concatenate,
    "stablehlo.broadcast_in_dim": _of_broadcast,
    "stablehlo.get_dimension_size": _of_dimension_size,
}
