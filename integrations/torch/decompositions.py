"""Which ops PyTorch decomposes before a graph comes here: all that it has a decomposition for and that have no rule."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import decomposition_table

from hlo.torch import rules  # noqa: F401  (registers them)
from hlo.torch.element_types import HALVES
from hlo.torch.random_draws import DRAWS
from hlo.torch.registry import EAGER, RULES

KEPT = {"aten.lift_fresh_copy.default", "aten.lift_fresh.default", "aten.set_.source_Tensor"}
"""Ops that AOTAutograd itself looks for."""


def qualified(name: str) -> str:
    """The name of a rule's op with its namespace."""
    return name if name.count(".") == 2 else f"aten.{name}"


WIDE = {"aten.grid_sampler_2d.default"}
"""Ops that PyTorch decomposes in their own type, while its kernels compute bf16 and f16 in f32."""


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """PyTorch's table without the ops that have a rule, that draw random numbers, or that PyTorch runs itself."""
    kept = {qualified(name) for name in (*RULES, *EAGER)} | {str(op) for op in DRAWS} | KEPT
    table = {op: f for op, f in decomposition_table.items() if isinstance(op, torch._ops.OpOverload)}
    return {op: _in_wide_type(f) if str(op) in WIDE else f for op, f in table.items() if str(op) not in kept}


def _in_wide_type(decomposition: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """The decomposition on tensors of bf16 and f16 in f32, rounded at its end."""

    def decomposed(*arguments: Any, **named: Any) -> torch.Tensor:
        first = arguments[0]
        if first.dtype not in HALVES:
            return decomposition(*arguments, **named)
        wide = [a.float() if isinstance(a, torch.Tensor) and a.dtype in HALVES else a for a in arguments]
        return decomposition(*wide, **named).to(first.dtype)

    return decomposed
