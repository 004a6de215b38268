"""The table of evaluators: `@evaluates(AddOp)` on a function (call, *operands) -> result, or a list of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Evaluator = Callable[..., Any]

EVALUATORS: dict[str, Evaluator] = {}
"""By the full name of the op."""

ELEMENTWISE: set[str] = {"stablehlo.constant", "stablehlo.return"}
"""Ops that can run on whole arrays in place of scalars: numpy broadcasts their operands."""


def evaluates(*ops: Any, elementwise: bool = False) -> Callable[[Evaluator], Evaluator]:
    """Registers a function as the meaning of op classes (or of upstream ops by name)."""

    def register(function: Evaluator) -> Evaluator:
        for op in ops:
            name = op if isinstance(op, str) else op.OPERATION_NAME
            EVALUATORS[name] = function
            if elementwise:
                ELEMENTWISE.add(name)
        return function

    return register
