"""The identities of simplify-algebra.

A pattern returns what replaces the op's results (made at the insertion point, if new), or None when it does not match;
it changes nothing itself. None of them holds only up to rounding or the sign of a zero."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

from mlir import ir

from hlo.dialect.op_table import OpLists

Replacement: TypeAlias = "ir.Value | list[ir.Value] | None"
Pattern = Callable[[Any], Replacement]

simplifies: OpLists[Pattern] = OpLists()
"""`@simplifies(IotaOp)`"""

FILES = (
    "patterns",
    "concatenations",
    "dot_patterns",
    "pad_patterns",
    "value_ranges",
    "reduction_patterns",
    "result_codes",
    "scatter_patterns",
    "stacks",
    "transposes",
    "unit_dimensions",
)
"""The patterns of an op are tried in the order of these."""


def load_patterns() -> None:
    """Fills the table."""
    for name in FILES:
        import_module(f"hlo.lowering.stablehlo.simplify.{name}")
