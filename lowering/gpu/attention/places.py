"""Where rows and depth of a block's tile are, by symbol of expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.element import delinearized, index_constant


class Places:
    """`p`: the contraction whose dimensions are the symbols; `parts`: of those that another one takes apart, with sizes. `rows`,
    `keys`: how many a block has, and takes in a step."""

    def __init__(self, p: Problem, parts: Mapping[int, Mapping[int, int]], block: Block, rows: int, keys: int):
        self.p, self.parts, self.block, self.size, self.step = p, parts, block, rows, keys
        self.batch = self.along(p.batch, block.batch)

    def along(self, dimensions: Sequence[int], position: ir.Value) -> dict[int, ir.Value]:
        """By symbol the place of a position along some dimensions that count as one."""
        sizes = self.p.nest.sizes
        found = dict(zip(dimensions, delinearized(position, [sizes[d] for d in dimensions])))
        for whole, parts in self.parts.items():
            if whole in found:
                found.update(zip(parts, delinearized(found[whole], list(parts.values()))))
        return found

    def row(self, row: ir.Value) -> dict[int, ir.Value]:
        """Of a row of the block's tile."""
        place = arith.addi(self.block.first_row, row)
        return {**self.batch, **self.along(self.p.rows, inside(place, self.p.m, self.size))}

    def key(self, key: ir.Value) -> tuple[dict[int, ir.Value], ir.Value | None]:
        """Of a key (an element of the depth), and whether it is one; None for always."""
        return self.along(self.p.depth, inside(key, self.p.k, self.step)), self._is_key(key)

    def keys(self, first: ir.Value, count: int) -> list[tuple[dict[int, ir.Value], ir.Value | None]]:
        """The same for keys beside each other, the first one a multiple of their number."""
        is_key, numbers = self._is_key(first), [index_constant(number) for number in range(count)]
        if not self.are_together(count):
            return [self.key(arith.addi(first, number)) for number in numbers]
        if is_key is not None:
            first = arith.minui(first, index_constant(self.p.k - count))
        return [(self.along(self.p.depth, arith.addi(first, number)), is_key) for number in numbers]

    def are_together(self, count: int) -> bool:
        """Whether so many keys beside each other are all inside or all outside, and none of them begins another line."""
        return self.p.nest.sizes[self.innermost_key] % count == 0

    @property
    def innermost_key(self) -> int:
        """The symbol along which keys beside each other follow."""
        return self.p.depth[-1]

    def _is_key(self, key: ir.Value) -> ir.Value | None:
        return arith.cmpi(arith.CmpIPredicate.ult, key, index_constant(self.p.k)) if self.p.k % self.step else None


def inside(position: ir.Value, size: int, step: int) -> ir.Value:
    """The last one for those beyond, whose elements may be read but are not used."""
    return arith.minui(position, index_constant(size - 1)) if size % step else position
