"""Ops that are done by one thread, in order."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.element import Values, remap
from hlo.lowering.gpu.grid import Grid


@dataclass(frozen=True)
class SerialOps:
    """A launch of one thread that does what the ops say."""

    ops: list[ir.Operation]

    @property
    def grid(self) -> Grid:
        return Grid(1, 1)

    def emit(self, values: Values) -> None:
        values = dict(values)
        for op in self.ops:
            values.update(zip(op.results, copied(op, values).results))


def copied(op: ir.Operation, values: Values) -> ir.Operation:
    """A copy at the insertion point that uses the new values."""
    copy = op.clone()
    remap(copy, values)
    return copy
