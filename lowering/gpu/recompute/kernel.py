"""A recomputed product by mma.sync: what it is computed from stays in registers.

    copy the block's rows of each factor; start to copy the first step's columns, and the rows of the right input
    for each step: wait for its tiles; barrier; start to copy the next ones
                   factors = rows x columns; what the program makes of them
                   sums += that x right input, or the reduction of that
    sums, through shared memory, to the result; of a reduction those of four lanes together

The factors' fragments are, converted, the left fragments of the last product (attention/mma_kernel.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.attention.causal_mask import Hidden
from hlo.lowering.gpu.attention.evaluate import Evaluator, Quick
from hlo.lowering.gpu.attention.expressions import Node, Product
from hlo.lowering.gpu.attention.mma_kernel import HALVES
from hlo.lowering.gpu.attention.online_softmax import Combine, across, any_thread, as_f32, as_type, combined, f32
from hlo.lowering.gpu.attention.plan import DEPTH, STAGES
from hlo.lowering.gpu.attention.steps import Place, Places
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.pipeline import end_of_group, next_stage, wait_for_groups
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, dynamic_shared_memory
from hlo.lowering.gpu.contraction.tensor_cores import (
    WARP,
    Instruction,
    M,
    N,
    add_products,
    left_fragment,
    right_fragment,
)
from hlo.lowering.gpu.control_flow import equals, index_constant, is_below, where
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.recompute.ends import End
from hlo.lowering.gpu.recompute.plan import RecomputedPlan

COMBINE = {"arith.addf": arith.addf, "arith.maximumf": arith.maximumf}
"""What reductions combine with."""

IN_REGISTERS = 64
"""Elements of a row of a factor that stay in registers; longer ones are read from shared memory in each step."""

QUAD = 4
"""Lanes that have a row together."""


class RecomputedKernel:
    """The code of a block of threads. `values`: memory, by the tensors that the ops use."""

    def __init__(self, plan: RecomputedPlan, values: Values):
        self.plan, self.attention = plan, plan.attention
        cut, tiles, memory = plan.cut, plan.inputs, dynamic_shared_memory()
        self.memory, self.evaluator = memory, Quick(values)
        self.values = Block(self.attention.values, plan.tiles, (cut.queries, plan.width or 1), values)
        self.ends = [End(plan, number, values, memory) for number in range(len(plan.ends))]
        self.places = Places(self.attention.values, self.attention.parts, cut.queries, cut.keys)
        self.batch = self.places.along(self.attention.values.batch, self.values.batch)
        self.warp, self.lane = (f(self.values.thread, index_constant(WARP)) for f in (arith.divui, arith.remui))
        self.lefts: dict[Product, SharedTile] = {}
        self.rights: dict[Product, SharedTile] = {}
        for product, p in self.attention.factors.items():
            block = Block(p, plan.tiles, (cut.queries, cut.keys), values)
            self.lefts[product] = SharedTile(tiles.lefts[product][0], block, memory, 1, tiles.lefts[product][1])
            self.rights[product] = SharedTile(tiles.rights[product][0], block, memory, STAGES, tiles.rights[product][1])
        self.corner = arith.muli(self.warp, index_constant(cut.tiles * M))
        self.columns = cut.keys // N

    def emit(self, results: Sequence[ir.Value]) -> None:
        row = arith.addi(self.corner, arith.divui(self.lane, index_constant(4)))
        self.halves = [arith.addi(row, index_constant(half)) for half in HALVES]
        self.rows = [self.places.row(self.batch, arith.addi(self.values.first_row, half)) for half in self.halves]
        self.taken = Taken(self.plan, self.values.first_row, self._is_near)
        for tile in self.lefts.values():
            tile.copy(index_constant(0), index_constant(0), self.plan.threads)
        self._copy(index_constant(0))
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        self._prepare()
        steps = scf.ForOp(index_constant(0), self.taken.count, index_constant(1), self._start())
        with ir.InsertionPoint(steps.body):
            scf.YieldOp(self._next(steps.induction_variable, list(steps.inner_iter_args)))
        if self.attention.fold is not None:
            self._store(list(steps.results), results[0])
        for end, sums, result in zip(self.ends, self._split(list(steps.results)), results):
            end.finish(self.lane, self.corner, sums, self.evaluator, result)

    def _is_near(self, hidden: Hidden) -> ir.Value:
        """Whether what a mask hides may add something to any row."""
        found = arith.constant(ir.IntegerType.get_signless(1), 0)
        rows = {*self.attention.values.batch, *self.attention.values.rows}
        for guard in hidden.guards:
            if hidden.free[guard] <= rows:
                for at in self.rows:
                    found = arith.ori(found, self._is_something(guard, at, hidden))
            else:
                found = arith.ori(found, self._is_anywhere(guard, hidden))
        return any_thread(found, self.warp, self.lane, self.plan.cut.warps)

    def _is_anywhere(self, guard: Node, hidden: Hidden) -> ir.Value:
        """The same of all of the depth: each thread looks at some of it."""
        p, none = self.attention.values, arith.constant(ir.IntegerType.get_signless(1), 0)
        loop = scf.ForOp(self.values.thread, index_constant(p.k), index_constant(self.plan.threads), [none])
        with ir.InsertionPoint(loop.body):
            at = {**self.batch, **self.places.along(p.depth, loop.induction_variable)}
            scf.YieldOp([arith.ori(loop.inner_iter_args[0], self._is_something(guard, at, hidden))])
        return loop.results[0]

    def _is_something(self, guard: Node, at: dict[int, ir.Value], hidden: Hidden) -> ir.Value:
        value = as_f32(self._hidden(guard, at, hidden))
        return arith.cmpf(arith.CmpFPredicate.UNE, value, f32(0.0))

    def _hidden(self, node: Node, at: dict[int, ir.Value], hidden: Hidden) -> ir.Value:
        """A node where the mask hides."""
        evaluator, given = self.evaluator.inner(), dict[Node, ir.Value]()
        for one in hidden.selects:
            given[one] = evaluator.value(one.operands[2], at, given)
        return evaluator.value(node, at, given)

    def _start(self) -> list[ir.Value]:
        """Sums of a thread: of a fragment of each result, or one for each of its rows."""
        if self.attention.fold is None:
            return [f32(0.0)] * sum(end.count for end in self.ends)
        return [f32(self.attention.fold[1])] * len(HALVES)

    def _split(self, sums: list[ir.Value]) -> list[list[ir.Value]]:
        """By end."""
        starts = list(accumulate((end.count for end in self.ends), initial=0))
        return [sums[start:stop] for start, stop in pairwise(starts)]

    def _prepare(self) -> None:
        """What each step needs: rows of the factors, and what the program does by row."""
        none = index_constant(0)
        self.kept = {
            (product, part): self._left(product, part, none)
            for product, p in self.attention.factors.items()
            for part in (self.plan.parts(p) if p.k <= IN_REGISTERS else range(0))
        }
        for one in self.rows:
            for expression in self.attention.expressions:
                self.evaluator.prepare(expression, one)

    def _left(self, product: Product, part: int, stage: ir.Value) -> list[ir.Value]:
        return left_fragment(self.lefts[product], stage, self.lane, self.corner, 0, part)

    def _copy(self, number: ir.Value) -> None:
        """Starts to copy the tiles of the so many-th step."""
        stage = arith.remui(number, index_constant(STAGES))
        first = arith.muli(self.taken.step(number), index_constant(self.plan.cut.keys))
        for tile in self.rights.values():
            tile.first = first
            tile.copy(stage, index_constant(0), self.plan.threads)
        for end in self.ends:
            end.copy(stage, first)
        end_of_group()

    # One step

    def _next(self, number: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        stage = next_stage(number, self.taken.count, STAGES, self._copy)
        first = arith.muli(self.taken.step(number), index_constant(self.plan.cut.keys))
        if self.attention.fold:
            (elements,) = self._elements(stage, first, [self.attention.expression], f32(self.attention.fold[1]))
            return self._folded(elements, sums)
        each = self._elements(stage, first, [end.expression for end in self.ends], f32(0.0))
        of_ends = zip(self.ends, each, self._split(sums))
        return [total for end, elements, own in of_ends for total in end.add(self.lane, stage, elements, own)]

    def _factor(self, product: Product, stage: ir.Value) -> list[ir.Value]:
        """Products of rows and columns: for each eight columns a fragment of four."""
        sums, tile = [f32(0.0)] * (self.columns * 4), self.rights[product]
        p = self.attention.factors[product]
        kind = str(p.element_type(p.right))
        instruction = Instruction(kind, kind, "f32", DEPTH)
        for part in self.plan.parts(p):
            left = self.kept.get((product, part)) or self._left(product, part, index_constant(0))
            right = partial(right_fragment, tile, stage, self.lane, part=part)
            add_products(instruction, [[left]], right, self.columns, sums)
        return sums

    def _elements(
        self, stage: ir.Value, first: ir.Value, expressions: Sequence[Node], outside: ir.Value
    ) -> list[list[ir.Value]]:
        """What the program makes of the factors, in f32, by expression; beyond the depth `outside`."""
        factors = {product: self._factor(product, stage) for product in self.attention.factors}
        evaluator = self.evaluator.inner()
        keys = [key for column in range(self.columns) for key in self._keys(evaluator, first, column, expressions)]
        found: list[list[ir.Value]] = [[] for _ in expressions]
        for number in range(4 * self.columns):
            row, (key, is_inside) = self.rows[number % 4 // 2], keys[number // 4 * 2 + number % 2]
            given: dict[Node, ir.Value] = {product: sums[number] for product, sums in factors.items()}
            for one, expression in zip(found, expressions):
                value = as_f32(evaluator.value(expression, {**row, **key}, given))
                one.append(value if is_inside is None else arith.select(is_inside, value, outside))
        return found

    def _keys(
        self, evaluator: Evaluator, first: ir.Value, column: int, expressions: Sequence[Node]
    ) -> list[tuple[Place, ir.Value | None]]:
        """By symbol the places along the depth of a thread's pair of eight columns, and whether each is one; None for always. What is
        next to each other in memory there is read with one access."""
        offset = arith.muli(arith.remui(self.lane, index_constant(4)), index_constant(2))
        keys = self.places.keys(arith.addi(first, arith.addi(offset, index_constant(column * N))), 2)
        self.places.read(evaluator, self.rows, expressions, [key for key, _ in keys])
        return keys

    @property
    def _combine(self) -> Combine:
        assert self.attention.fold is not None, "a reduction"
        return COMBINE[self.attention.fold[0]]

    def _folded(self, elements: Sequence[ir.Value], totals: Sequence[ir.Value]) -> list[ir.Value]:
        combine = self._combine
        rows = [[v for n, v in enumerate(elements) if n % 4 // 2 == half] for half in range(len(HALVES))]
        return [combine(total, combined(row, combine)) for total, row in zip(totals, rows)]

    # The end

    def _store(self, totals: Sequence[ir.Value], result: ir.Value) -> None:
        """The first lane of four stores what they have together."""
        p, combine = self.attention.values, self._combine
        kind = ir.MemRefType(result.type).element_type
        is_first = equals(arith.remui(self.lane, index_constant(4)), 0)
        for total, at, place in zip(totals, self.rows, self.halves):
            value = across(QUAD, self._with_hidden(total, at), combine)
            row = arith.addi(self.values.first_row, place)
            is_row = is_below(row, p.m)
            with where(is_first, is_row):
                indices = [index_constant(0) if s is None else at[s] for s in self.attention.places]
                memref.store(as_type(kind, value), result, indices)

    def _with_hidden(self, total: ir.Value, at: dict[int, ir.Value]) -> ir.Value:
        """The maximum with that of the steps that were not taken."""
        hidden = self.plan.hidden
        if hidden is None or self.attention.fold is None or self.attention.fold[0] != "arith.maximumf":
            return total
        value = arith.maximumf(total, as_f32(self._hidden(self.attention.expression, at, hidden)))
        is_part = is_below(self.taken.count, self.plan.steps)
        return arith.select(is_part, value, total)


class Taken:
    """The steps that a block takes. `is_near`: whether those that a mask hides may add something."""

    def __init__(self, plan: RecomputedPlan, first_row: ir.Value, is_near: Callable[[Hidden], ir.Value]):
        self.hidden, self.count = plan.hidden, index_constant(plan.steps)
        if self.hidden is not None:
            self.begin, self.end = self.hidden.range(first_row, plan.cut.queries)
            if self.hidden.guards:
                near = is_near(self.hidden)
                self.begin = arith.select(near, index_constant(0), self.begin)
                self.end = arith.select(near, index_constant(self.hidden.steps), self.end)
            self.count = self.hidden.count(self.begin, self.end)

    def step(self, number: ir.Value) -> ir.Value:
        """The so many-th."""
        return number if self.hidden is None else self.hidden.step(number, self.begin, self.end)
