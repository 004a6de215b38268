"""What a rule for a dynamic op is given: the op, and which of its operands are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.op_table import OpTable
from hlo.dialect.types import DYNAMIC, element_type, shape, tensor
from hlo.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class DynamicOp:
    """An op, and the arrays of those operands that are constants."""

    op: Any
    values: dict[ir.Value, np.ndarray]

    def integers(self, value: ir.Value) -> list[int] | None:
        """The integers in an operand, row by row; None if it is known at run time only."""
        array = self.values.get(value)
        return None if array is None else [int(i) for i in array.reshape(-1)]

    def all_integers(self, *values: ir.Value) -> list[list[int]] | None:
        found = [self.integers(v) for v in values]
        return None if None in found else found  # type: ignore[return-value]

    def result_type(self, sizes: Sequence[int] | None) -> ir.Type | None:
        """The type of the result: of known sizes, or as it is written where that is static."""
        written = self.op.results[0].type
        if sizes is not None:
            return tensor(sizes, element_type(written))
        return None if DYNAMIC in shape(written) else tensor(shape(written), element_type(written))


Rule = Callable[[DynamicOp], "list[ir.Value] | None"]
"""The values that replace the op's results; None if shapes are still unknown."""

specializes: OpTable[Rule] = OpTable("static form")
"""`@specializes(DynamicIotaOp)`"""

specializes_call: OpTable[Rule] = OpTable("static form")
"""`@specializes_call("stablehlo.dynamic_top_k")`, by call_target_name."""


def rebuilt(name: str, operands: Sequence[ir.Value], result: ir.Type, **attributes: ir.Attribute) -> list[ir.Value]:
    return list(ir.Operation.create(f"stablehlo.{name}", [result], list(operands), attributes).results)
