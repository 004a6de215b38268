"""What the processes of a grid send each other in a program's collectives.

Counts are static: what stands in a loop counts once. Bytes sent are those of the usual ring algorithms, for one process."""

from __future__ import annotations

import math

from mlir import ir

from hlo.dialect.process_grid import Grid
from hlo.dialect.process_groups import is_collective, process_groups
from hlo.dialect.types import bit_width, element_type, shape
from hlo.lazy_dataclasses import dataclass

WHOLE = ("collective_broadcast", "collective_permute")
"""Collectives in which a process sends what it has as a whole, to one other."""

REDUCING = ("all_reduce", "collective_reduce", "cross-replica-sum")
"""Those in whose rings everything goes round twice: as sums, and as the result."""


@dataclass(frozen=True)
class Collective:
    """`bytes`: of all results on one process; `group`: how many processes take part, 0 where that does not count."""

    kind: str
    bytes: int
    group: int

    @property
    def sent(self) -> float:
        """By each process, in a ring."""
        if self.kind in WHOLE:
            return float(self.bytes)
        others = self.group - 1
        if self.kind == "reduce_scatter":
            return float(self.bytes * others)
        return self.bytes * others / self.group * (2 if self.kind in REDUCING else 1)


def collectives_of(module: ir.Module, grid: Grid) -> list[tuple[ir.Operation, Collective]]:
    """The collectives of a program of one process, in the order of its text."""
    found: list[tuple[ir.Operation, Collective]] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if is_collective(op):
            found.append((op, _collective(op, grid)))
        return ir.WalkResult.ADVANCE

    with module.context:
        module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _collective(op: ir.Operation, grid: Grid) -> Collective:
    kind = op.name.removeprefix("stablehlo.")
    size = sum(math.prod(shape(r.type)) * -(-bit_width(element_type(r.type)) // 8) for r in op.results)
    group = 0 if kind in WHOLE else max(map(len, process_groups(op.opview, grid)), default=1)
    return Collective(kind, size, group)
