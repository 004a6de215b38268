"""Ops are replaced by values, which are made in front of them, at their locations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mlir import ir

Made: TypeAlias = "ir.Value | Sequence[ir.Value] | None"
"""The value of an op's one result, or those of all; None where the op stays."""


def replace(op: Any, values: Sequence[ir.Value]) -> None:
    """Replaces an op's results by values, and erases it."""
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    op.operation.erase()


def rewrite(op: Any, make: Callable[..., Made], *more: Any) -> None:
    """Replaces an op by what `make(op, *more)` makes."""
    with op.location, ir.InsertionPoint(op):
        made = make(op, *more)
    if made is not None:
        replace(op, [made] if isinstance(made, ir.Value) else made)
