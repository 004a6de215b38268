"""Which ops PyTorch decomposes before a graph comes here: all that it has a decomposition for and that have no rule."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import decomposition_table

from hlo.torch import rules  # noqa: F401  (registers them)
from hlo.torch.random_draws import DRAWS
from hlo.torch.registry import EAGER, RULES
from hlo.torch.rules.recurrent import kept_gates

KEPT = {"aten.lift_fresh_copy.default", "aten.lift_fresh.default", "aten.set_.source_Tensor"}
"""Ops that AOTAutograd itself looks for."""


def qualified(name: str) -> str:
    """The name of a rule's op with its namespace."""
    return name if name.count(".") == 2 else f"aten.{name}"


OWN: dict[Any, Callable[..., Any]] = {torch.ops.aten.mkldnn_rnn_layer.default: kept_gates}
"""Decompositions that are not PyTorch's."""


def _of_lists() -> dict[Any, Callable[..., Any]]:
    """Ops on lists of tensors, as optimizers with `foreach=True` and the clipping of gradients have them: PyTorch's
    kernels for all devices call the op of each tensor."""
    general = torch._C.DispatchKey.CompositeExplicitAutograd
    names = (
        n.removeprefix("aten::").partition(".")
        for n in torch._C._dispatch_get_all_op_names()
        if n.startswith("aten::_foreach_")
    )
    ops = (getattr(getattr(torch.ops.aten, packet), overload or "default") for packet, _, overload in names)
    return {
        op: functools.partial(op._op_dk, general)
        for op in ops
        if not op._schema.is_mutable and op.has_kernel_for_dispatch_key(general)
    }


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """PyTorch's table without the ops that have a rule, that draw random numbers, or that PyTorch runs itself."""
    kept = {qualified(name) for name in (*RULES, *EAGER)} | {str(op) for op in DRAWS} | KEPT
    table = {op: f for op, f in decomposition_table.items() if isinstance(op, torch._ops.OpOverload)}
    return {**{op: f for op, f in table.items() if str(op) not in kept}, **_of_lists(), **OWN}
