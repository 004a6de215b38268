"""What StableHLO ops that are shorthand for others are written out as."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.dialect.op_table import OpTable

decomposes: OpTable[Callable[[Any], list[ir.Value] | None]] = OpTable("decomposition")
"""`@decomposes(DotOp)`: the values of the op's results; None leaves it."""
