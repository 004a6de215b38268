"""The table of rules: for each ATen op one function that builds it, `rule(b, *arguments, **named)`.

Arguments are those of the op: values instead of tensors, Python's numbers, lists and types for the rest. A rule returns
a value, or as many as the op has results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]

RULES: dict[str, Rule] = {}
"""By name and overload ("add.Tensor")."""

LIMITS: dict[str, Callable[..., str | None]] = {}
"""For ops that are built for some arguments only: why not for these (arguments as in the graph), or None."""

EAGER: dict[str, str] = {}
"""Ops of the core set that PyTorch itself runs, each with the reason."""


def rule(*names: str, limit: Callable[..., str | None] | None = None) -> Callable[[Rule], Rule]:
    """Registers a function as the rule of the ops: "add.Tensor"; "relu" is "relu.default"."""

    def register(function: Rule) -> Rule:
        for name in names:
            full = name if "." in name else f"{name}.default"
            assert full not in RULES, full
            RULES[full] = function
            if limit is not None:
                LIMITS[full] = limit
        return function

    return register


def eager(reason: str, *names: str) -> None:
    """States that PyTorch runs these ops, and why."""
    EAGER.update({name if "." in name else f"{name}.default": reason for name in names})
