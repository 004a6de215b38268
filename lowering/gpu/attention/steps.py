"""How a block goes through the keys: in steps, each with some of them; those that it does not see are left out. Where rows and keys are,
by symbol of expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.expressions import Node
from hlo.lowering.gpu.attention.online_softmax import Row, any_row_near, as_type
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.tensor_cores import WARP
from hlo.lowering.gpu.control_flow import index_constant, is_below
from hlo.lowering.gpu.element import Values, delinearized

Place = dict[int, ir.Value]
"""By symbol."""


@dataclass(frozen=True)
class Places:
    """`p`: the contraction whose dimensions are the symbols; `parts`: of those that another one takes apart, with sizes. `size`,
    `step`: rows of a block, keys of a step."""

    p: Problem
    parts: Mapping[int, Mapping[int, int]]
    size: int
    step: int

    def along(self, dimensions: Sequence[int], position: ir.Value) -> Place:
        """By symbol the place of a position along some dimensions that count as one."""
        sizes = self.p.nest.sizes
        found = dict(zip(dimensions, delinearized(position, [sizes[d] for d in dimensions])))
        for whole, parts in self.parts.items():
            if whole in found:
                found.update(zip(parts, delinearized(found[whole], list(parts.values()))))
        return found

    def row(self, batch: Place, row: ir.Value) -> Place:
        """Of a row, the last one for those beyond."""
        return {**batch, **self.along(self.p.rows, inside(row, self.p.m, self.size))}

    def key(self, key: ir.Value) -> tuple[Place, ir.Value | None]:
        """Of a key (an element of the depth), and whether it is one; None for always."""
        return self.along(self.p.depth, inside(key, self.p.k, self.step)), self._is_key(key)

    def keys(self, first: ir.Value, count: int) -> list[tuple[Place, ir.Value | None]]:
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

    def read(
        self, evaluator: Evaluator, rows: Sequence[Place], expressions: Sequence[Node], keys: Sequence[Place]
    ) -> None:
        """What expressions read of rows at contiguous keys: several elements with one access where they are contiguous in memory."""
        for row in rows if self.are_together(len(keys)) else ():
            neighbours = [{**row, **key} for key in keys]
            for expression in expressions:
                evaluator.read_neighbours(expression, self.innermost_key, neighbours)

    @property
    def innermost_key(self) -> int:
        """The symbol along which contiguous keys follow."""
        return self.p.depth[-1]

    def _is_key(self, key: ir.Value) -> ir.Value | None:
        return is_below(key, self.p.k) if self.p.k % self.step else None


def inside(position: ir.Value, size: int, step: int) -> ir.Value:
    """The last one for those beyond, whose elements may be read but are not used."""
    return arith.minui(position, index_constant(size - 1)) if size % step else position


class Steps:
    """What every kernel of attention has. `values`: memory, by the tensors that the attention's ops use. `scores`, `values`: the
    block's part of both contractions; `batch`: by symbol where it is; `rows`: the same for each of a thread's rows."""

    row: ClassVar[type[Row]] = Row
    rows: Sequence[Place]

    def __init__(self, plan: Plan, values: Values):
        self.plan, self.attention = plan, plan.attention
        first, second = plan.blocks()
        self.scores = Block(first, plan.tiles, (plan.cut.queries, plan.cut.keys), values)
        self.values = Block(second, plan.tiles, (plan.cut.queries, plan.width), values)
        if plan.visible is not None:  # blocks that see most keys begin first
            self._turn()
        self.warp, self.lane = (f(self.scores.thread, index_constant(WARP)) for f in (arith.divui, arith.remui))
        self.places = Places(second, self.attention.parts, plan.cut.queries, plan.cut.keys)
        self.batch = self.places.along(second.batch, self.values.batch)
        self.evaluator = Evaluator(values)

    def _turn(self) -> None:
        last = index_constant((self.plan.tiles[1] - 1) * self.plan.cut.queries)
        for block in (self.scores, self.values):
            block.first_row = arith.subi(last, block.first_row)

    def _row_places(self, row: ir.Value) -> Place:
        """By symbol the place of a row of the block's tile."""
        return self.places.row(self.batch, arith.addi(self.values.first_row, row))

    def _neighbouring_keys(
        self, evaluator: Evaluator, first: ir.Value, count: int
    ) -> list[tuple[Place, ir.Value | None]]:
        """`Places.keys`; what all rows' scores read there is read."""
        keys = self.places.keys(first, count)
        self.places.read(evaluator, self.rows, [self.attention.expression], [key for key, _ in keys])
        return keys

    def _scored(
        self,
        evaluator: Evaluator,
        products: Sequence[ir.Value],
        places: Sequence[tuple[int, int]],
        keys: Sequence[tuple[Place, ir.Value | None]],
        kind: ir.Type,
    ) -> list[ir.Value]:
        """What the program makes of products, whose row and key `places` has; -inf beyond the last key."""
        lowest, found = arith.constant(kind, float("-inf")), []
        for product, (row, number) in zip(products, places):
            key, is_inside = keys[number]
            given: dict[Node, ir.Value] = {self.attention.dot: product}
            score = as_type(kind, evaluator.value(self.attention.expression, {**self.rows[row], **key}, given))
            found.append(score if is_inside is None else arith.select(is_inside, score, lowest))
        return found

    def _steps(self, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        """Those whose keys the block sees; then, where a row may need them, the others."""
        visible, none, every = self.plan.visible, index_constant(0), index_constant(self.plan.steps)
        if visible is None:
            return self._loop(none, every, rows, sums)
        p, cut = self.attention.values, self.plan.cut
        seen = visible.steps(p, self.values.first_row, cut.queries, cut.keys)
        if visible.far == float("-inf"):  # a weight of 0 in any row that has another one
            return self._loop(none, seen, rows, sums)
        turns = scf.ForOp(none, index_constant(2), index_constant(1), _flat(rows, sums))
        with ir.InsertionPoint(turns.body):
            rows, sums = self._unflat(list(turns.inner_iter_args))
            is_first = arith.cmpi(arith.CmpIPredicate.eq, turns.induction_variable, none)
            rest = arith.select(any_row_near(rows, visible.far, self.warp, self.lane, cut.warps), every, seen)
            start, end = arith.select(is_first, none, seen), arith.select(is_first, seen, rest)
            scf.YieldOp(_flat(*self._loop(start, end, rows, sums)))
        return self._unflat(list(turns.results))

    def _loop(
        self, start: ir.Value, end: ir.Value, rows: list[Row], sums: list[ir.Value]
    ) -> tuple[list[Row], list[ir.Value]]:
        loop = scf.ForOp(start, end, index_constant(1), _flat(rows, sums))
        with ir.InsertionPoint(loop.body):
            scf.YieldOp(_flat(*self._step(loop.induction_variable, *self._unflat(list(loop.inner_iter_args)))))
        return self._unflat(list(loop.results))

    def _step(self, step: ir.Value, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        """The rows and the sums with the keys of a step."""
        raise NotImplementedError

    def _unflat(self, values: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        count = len(self.rows)
        return [self.row(m, t) for m, t in zip(values[:count], values[count : 2 * count])], values[2 * count :]


def _flat(rows: Sequence[Row], sums: Sequence[ir.Value]) -> list[ir.Value]:
    """What loops carry."""
    return [*(row.maximum for row in rows), *(row.total for row in rows), *sums]
