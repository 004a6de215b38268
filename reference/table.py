"""The table of evaluators: `@evaluates(AddOp)` on a function (call, *operands) -> result, or a list of results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlo.dialect.op_table import G, OpTable, name_of

Evaluator = Callable[..., Any]

ELEMENTWISE: set[str] = {"stablehlo.constant", "stablehlo.return"}
"""Ops that can run on whole arrays instead of scalars: numpy broadcasts their operands."""


class Evaluators(OpTable[Evaluator]):
    """What ops (upstream ones by name) compute."""

    def __call__(self, *ops: Any, elementwise: bool = False) -> Callable[[G], G]:
        if elementwise:
            ELEMENTWISE.update(map(name_of, ops))
        return super().__call__(*ops)


evaluates = Evaluators("evaluator")
