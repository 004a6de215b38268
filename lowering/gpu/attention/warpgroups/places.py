"""Where elements of attention are, by symbol and by the parts of a tensor map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.attention.warpgroups.plan import WarpgroupPlan
from hlo.lowering.gpu.element import delinearized, index_constant

At = dict[int, ir.Value]
"""By symbol."""


class Places:
    """Of a plan."""

    def __init__(self, plan: WarpgroupPlan):
        self.plan = plan

    def batch(self, position: ir.Value) -> At:
        """Of a position in the batch."""
        return self._along(self.plan.values.batch, position)

    def row(self, batch: At, row: ir.Value) -> At:
        """Of a query, the last one for those beyond."""
        p = self.plan.values
        return {**batch, **self._along(p.rows, _inside(row, p.m, self.plan.cut.queries))}

    def keys(self, first: ir.Value) -> list[At]:
        """Of a pair of keys, the last one (the last pair) for those beyond."""
        p, step, one = self.plan.values, self.plan.cut.keys, index_constant(1)
        if not self.are_pairs:
            return [self._along(p.depth, _inside(key, p.k, step)) for key in (first, arith.addi(first, one))]
        first = arith.minui(first, index_constant(p.k - 2)) if p.k % step else first
        return [self._along(p.depth, first), self._along(p.depth, arith.addi(first, one))]

    @property
    def are_pairs(self) -> bool:
        """Both keys of a pair are inside or outside, and the second one begins no other line."""
        return self.plan.values.nest.sizes[self.innermost_key] % 2 == 0

    @property
    def innermost_key(self) -> int:
        """The symbol along which keys beside each other follow."""
        return self.plan.values.depth[-1]

    def column(self, batch: At, row: ir.Value, column: ir.Value) -> At:
        """Of an element of the result."""
        p = self.plan.values
        return {**batch, p.rows[0]: row, **self._along(p.columns, column)}

    def _along(self, dimensions: Sequence[int], position: ir.Value) -> At:
        """Of a position along some dimensions that count as one."""
        sizes = self.plan.values.nest.sizes
        found = dict(zip(dimensions, delinearized(position, [sizes[d] for d in dimensions])))
        for whole, parts in self.plan.attention.parts.items():
            if whole in found:
                found.update(zip(parts, delinearized(found[whole], list(parts.values()))))
        return found

    # Coordinates of boxes

    def of_scores(self, part: str | int, batch: At, row: ir.Value) -> ir.Value:
        """Of the queries of a tile."""
        return self._coordinate(part, self.plan.symbols, batch, {"outer": row})

    def of_keys(self, part: str | int, batch: At, first: ir.Value) -> ir.Value:
        return self._coordinate(part, self.plan.symbols, batch, {"outer": first})

    def of_values(self, part: str | int, batch: At, first: ir.Value) -> ir.Value:
        return self._coordinate(part, {d: d for d in batch}, batch, {"depth": first})

    def _coordinate(
        self, part: str | int, symbols: Mapping[int, int], batch: At, others: Mapping[str, ir.Value]
    ) -> ir.Value:
        """`symbols`: of the contraction's dimensions; those without one have size 1."""
        if isinstance(part, str):
            return others[part] if part in others else index_constant(0)
        return batch[symbols[part]] if part in symbols else index_constant(0)


def _inside(position: ir.Value, size: int, step: int) -> ir.Value:
    """The last one for those beyond, whose elements may be read but are not used."""
    return arith.minui(position, index_constant(size - 1)) if size % step else position
