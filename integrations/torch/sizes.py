"""Functions of Python numbers in graphs with symbolic sizes: a program is specialised, so they are computed while it is built."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import torch

from hlo.builder.value import Value


def _size(tensor: Value, dimension: int) -> Any:
    return tensor.shape[dimension]


def _count(tensor: Value) -> int:
    return math.prod(tensor.shape)  # type: ignore[arg-type]


_OPERATORS = [
    "add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "neg", "eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_", "index",
]  # fmt: skip

SCALAR_FUNCTIONS: dict[Any, Any] = {
    **{getattr(operator, name): getattr(operator, name) for name in _OPERATORS},
    **{
        getattr(builtins, name): getattr(builtins, name)
        for name in ("min", "max", "round", "int", "float", "bool", "abs")
    },
    **{getattr(math, name): getattr(math, name) for name in ("floor", "ceil", "trunc", "sqrt", "pow")},
    operator.getitem: operator.getitem,
    torch.sym_int: int,
    torch.sym_float: float,
    torch.sym_max: max,
    torch.sym_min: min,
    torch.sym_not: operator.not_,
    torch.sym_ite: lambda condition, on_true, on_false: on_true if condition else on_false,
    torch.ops.aten.sym_size.int: _size,
    torch.ops.aten.sym_numel.default: _count,
}
"""By the target of a node."""
