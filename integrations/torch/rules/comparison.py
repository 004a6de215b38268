"""Comparisons, logic, and choices by a condition."""

from __future__ import annotations

from typing import Any

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of, result_type
from hlo.torch.registry import rule
from hlo.torch.rules.elementwise import BOOL, elementwise


def _comparison(op: str) -> Any:
    return lambda b, x, y: b.compare(x, y, op)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    elementwise(f"{_name}.Tensor", f"{_name}.Scalar", to=BOOL)(_comparison(_name))


def _logic(op: str) -> Any:
    return lambda b, x, y: getattr(b, op)(b.ne(x, 0), b.ne(y, 0))


for _name, _op in {"and": "and_", "or": "or_", "xor": "xor"}.items():
    elementwise(f"logical_{_name}", to=BOOL)(_logic(_op))


@rule("where.self", "where.Scalar", "where.ScalarSelf", "where.ScalarOther")
def where(b: Any, condition: Value, x: Any, y: Any) -> Value:
    common = result_type(x, y)
    chosen, on_true, on_false = b.together(b.ne(condition, 0), b.cast(x, common), b.cast(y, common))
    return b.select(chosen, on_true, on_false)


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(b: Any, x: Value, mask: Value, value: Any) -> Value:
    chosen, filled, rest = b.together(mask, b.cast(value, dtype_of(x)), x)
    return b.select(chosen, filled, rest)
