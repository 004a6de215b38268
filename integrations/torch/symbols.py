"""Symbolic sizes of a graph and what they are at a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node


def symbols_of(placeholders: Sequence[Node], arguments: Sequence[Any]) -> dict[Any, int]:
    """The value of each symbol of the graph: from arguments that are numbers, and from the sizes of tensors."""
    values: dict[Any, int] = {}
    for node, argument in zip(placeholders, arguments):
        meta = node.meta.get("val")
        if isinstance(meta, torch.Tensor) and hasattr(argument, "layout"):
            for written, size in zip(meta.shape, argument.layout.sizes):
                _note(written, size, values)
        else:
            _note(meta, argument, values)
    return values


def _note(written: Any, value: Any, values: dict[Any, int]) -> None:
    expression = getattr(getattr(written, "node", None), "expr", None)
    if expression is not None and expression.is_symbol:
        values[expression] = value


def concrete(written: Any, values: dict[Any, int]) -> Any:
    """A number instead of a symbolic one."""
    expression = getattr(getattr(written, "node", None), "expr", None)
    if expression is None:
        return written
    found = expression.xreplace(values)
    kind = {torch.SymInt: int, torch.SymFloat: float}.get(type(written), bool)
    return kind(found)


def sizes_and_strides(tensor: torch.Tensor, values: dict[Any, int]) -> tuple[list[int], list[int]]:
    """Of a tensor whose sizes may be symbolic."""
    return [concrete(n, values) for n in tensor.shape], [concrete(n, values) for n in tensor.stride()]
