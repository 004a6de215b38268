"""What elementwise rules have in common: PyTorch's promotion of types, broadcasting, and the type in which PyTorch computes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of, float_type, result_type, wide_type
from hlo.torch.registry import rule

SAME = "the common type"
FLOAT = "the common type, the default float for integers"
BOOL = "booleans, of operands in the common type"


def elementwise(*names: str, to: str = SAME, wide: bool = True, operands: int | None = None) -> Callable[[Any], Any]:
    """Registers a function of values of one shape and type, the first `operands` arguments of the op (all that are given by default); the
    others are handed on as they are. `to`: the type of the result. `wide`: bf16 and f16 are computed in f32 and rounded once, as PyTorch
    does; functions for which that makes no difference say False."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def build(b: Any, *arguments: Any, **named: Any) -> Value:
            count = len(arguments) if operands is None else operands
            common = result_type(*arguments[:count])
            common = float_type(common) if to == FLOAT else common
            kind = wide_type(common) if wide and to != BOOL else common
            values = b.together(*(b.cast(a, kind) for a in arguments[:count]))
            result = function(b, *values, *arguments[count:], **named)
            return result if to == BOOL else b.cast(result, common)

        rule(*names)(build)
        return build

    return register


def is_complex(value: Value) -> bool:
    return dtype_of(value).is_complex


def is_float(value: Value) -> bool:
    return dtype_of(value).is_floating_point


def is_bool(value: Value) -> bool:
    return dtype_of(value) == torch.bool
