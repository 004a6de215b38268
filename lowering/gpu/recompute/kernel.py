"""A recomputed product by mma.sync: what it is computed from stays in registers.

    copy the block's rows of each factor; start to copy the first step's columns, and the rows of the right input
    for each step: wait for its tiles; barrier; start to copy the next ones
                   factors = rows x columns; what the program makes of them
                   sums += that x right input, or the reduction of that
    sums to the result; of a reduction those of four lanes together

The factors' fragments are, converted, the left fragments of the last product (attention/mma_kernel.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, math, memref

from hlo.lowering.gpu.attention.causal_mask import Hidden
from hlo.lowering.gpu.attention.evaluate import Quick
from hlo.lowering.gpu.attention.expressions import Node, Product, is_apply
from hlo.lowering.gpu.attention.mma_kernel import (
    HALVES,
    RowProducts,
    first_of_pair,
    fragment_places,
    rounded_pairs,
    rows_of_lane,
)
from hlo.lowering.gpu.attention.online_softmax import Combine, across, any_thread, as_f32, as_type, combined, f32
from hlo.lowering.gpu.attention.plan import DEPTH, STAGES
from hlo.lowering.gpu.attention.thread_rows import Places, ThreadRows, indices
from hlo.lowering.gpu.block_reduction import WARP
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.pipeline import end_of_group, next_stage, wait_for_groups
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, dynamic_shared_memory
from hlo.lowering.gpu.contraction.tensor_cores import Instruction, M, N, add_products, right_fragment
from hlo.lowering.gpu.control_flow import carried, equals, index_constant, is_below, where
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.recompute.plan import RecomputedPlan

# What it makes of elements that are computed again: sums of them times a right input.
#
# An f32 that may not be rounded is a sum of three bf16, which hold it exactly: its first 8 bits, the next 8, the last 8. Products of
# bf16 are exact in f32, so the sum of three products is what one of f32 by bf16 gives, but for the rounding of sums.

FIRST_BITS = -(1 << 16)
"""Of an f32: those that a bf16 has."""


def terms_of(values: Sequence[ir.Value], count: int) -> list[list[ir.Value]]:
    """By value, the last term first: small products are added first. One term is the value, to be rounded."""
    return list(zip(*(_split(v) for v in values)))[::-1] if count == 3 else [list(values)]  # type: ignore[return-value]


def _split(value: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    first = _first(value)
    is_infinite = arith.cmpf(arith.CmpFPredicate.OEQ, math.absf(value), f32(float("inf")))
    rest = arith.select(is_infinite, f32(0.0), arith.subf(value, first))
    second = _first(rest)
    return first, second, arith.subf(rest, second)


def _first(value: ir.Value) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    bits = arith.andi(arith.bitcast(i32, value), arith.constant(i32, FIRST_BITS))
    return arith.bitcast(value.type, bits)


class End:
    """The last contraction of a kernel. `block`: its part of it."""

    def __init__(self, plan: RecomputedPlan, block: Block, memory: ir.Value):
        self.plan, self.end = plan, plan.attention
        assert plan.inputs.last is not None, "no reduction"
        side, place, self.is_shared = plan.inputs.last
        self.right = SharedTile(side, block, memory, STAGES, place)

    @property
    def expression(self) -> Node:
        """Of an element: the fragment is rounded."""
        whole = self.end.expression
        return whole.operands[0] if is_apply(whole, "arith.truncf") else whole

    @property
    def count(self) -> int:
        """Of sums of a thread: a fragment of the result."""
        return self.plan.width // N * 4

    def copy(self, stage: ir.Value, first: ir.Value) -> None:
        """Starts to copy the right input, if no factor has it."""
        if not self.is_shared:
            self.right.copy(stage, first, self.plan.threads)

    def add(
        self, lane: ir.Value, stage: ir.Value, elements: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The sums of elements times the right input so far."""
        name, found = self.end.kind, list(sums)
        instruction, kind = Instruction(name, name, "f32", DEPTH), ir.Type.parse(name)
        for part in range(self.plan.cut.keys // DEPTH):
            eight = list(elements[8 * part : 8 * part + 8])
            terms = terms_of(eight, self.end.terms)
            lefts = [rounded_pairs(kind, one) for one in terms]
            right = partial(right_fragment, self.right, stage, lane, part=part)
            add_products(instruction, [lefts], right, -(-self.end.values.n // N), found)
        return found


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
        self.places = Places(self.attention.values, self.attention.parts, cut.queries, cut.keys)
        self.batch = self.places.along(self.attention.values.batch, self.values.batch)
        self.end = End(plan, self.values, memory) if self.attention.fold is None else None
        self.warp, self.lane = (f(self.values.thread, index_constant(WARP)) for f in (arith.divui, arith.remui))
        self.corner = arith.muli(self.warp, index_constant(cut.tiles * M))
        self.columns = cut.keys // N
        self.factors: dict[Product, RowProducts] = {}
        for product, p in self.attention.factors.items():
            block = Block(p, plan.tiles, (cut.queries, cut.keys), values)
            left = SharedTile(tiles.lefts[product][0], block, memory, 1, tiles.lefts[product][1])
            right = SharedTile(tiles.rights[product][0], block, memory, STAGES, tiles.rights[product][1])
            self.factors[product] = RowProducts(p, left, right, self.lane, self.corner, cut)

    def emit(self, result: ir.Value) -> None:
        numbers = rows_of_lane(self.values.first_row, self.corner, self.lane, HALVES)
        self.rows = ThreadRows(self.attention, self.places, self.evaluator, self.batch, numbers)
        self.taken = Taken(self.plan, self.values.first_row, self._is_near)
        for factor in self.factors.values():
            factor.left.copy(index_constant(0), index_constant(0), self.plan.threads)
        self._copy(index_constant(0))
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        self._prepare()
        sums = carried(0, self.taken.count, 1, self._start(), self._next)
        if self.end is None:
            self._store(sums, result)
        else:
            self._write(sums, result)

    def _is_near(self, hidden: Hidden) -> ir.Value:
        """Whether what a mask hides may add something to any row."""
        found = arith.constant(ir.IntegerType.get_signless(1), 0)
        rows = {*self.attention.values.batch, *self.attention.values.rows}
        for guard in hidden.guards:
            if hidden.free[guard] <= rows:
                for at in self.rows.at:
                    found = arith.ori(found, self._is_something(guard, at, hidden))
            else:
                found = arith.ori(found, self._is_anywhere(guard, hidden))
        return any_thread(found, self.warp, self.lane, self.plan.cut.warps)

    def _is_anywhere(self, guard: Node, hidden: Hidden) -> ir.Value:
        """The same of all of the depth: each thread looks at some of it."""
        p, none = self.attention.values, arith.constant(ir.IntegerType.get_signless(1), 0)

        def or_here(position: ir.Value, found: list[ir.Value]) -> list[ir.Value]:
            at = {**self.batch, **self.places.along(p.depth, position)}
            return [arith.ori(found[0], self._is_something(guard, at, hidden))]

        return carried(self.values.thread, p.k, self.plan.threads, [none], or_here)[0]

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
        """Sums of a thread: of a fragment of the result, or one for each of its rows."""
        if self.end is not None:
            return [f32(0.0)] * self.end.count
        return [f32(self._fold[1])] * len(HALVES)

    @property
    def _fold(self) -> tuple[str, float]:
        assert self.attention.fold is not None, "a reduction"
        return self.attention.fold

    def _prepare(self) -> None:
        """What each step needs: rows of the factors, and what the program does by row."""
        for product, p in self.attention.factors.items():
            if p.k <= IN_REGISTERS:
                self.factors[product].keep()
        self.rows.prepare()

    def _copy(self, number: ir.Value) -> None:
        """Starts to copy the tiles of the so many-th step."""
        stage = arith.remui(number, index_constant(STAGES))
        first = arith.muli(self.taken.step(number), index_constant(self.plan.cut.keys))
        for factor in self.factors.values():
            factor.right.first = first
            factor.right.copy(stage, index_constant(0), self.plan.threads)
        if self.end is not None:
            self.end.copy(stage, first)
        end_of_group()

    # One step

    def _next(self, number: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        stage = next_stage(number, self.taken.count, STAGES, self._copy)
        first = arith.muli(self.taken.step(number), index_constant(self.plan.cut.keys))
        if self.end is not None:
            elements = self._elements(stage, first, self.end.expression, f32(0.0))
            return self.end.add(self.lane, stage, elements, sums)
        return self._folded(self._elements(stage, first, self.attention.expression, f32(self._fold[1])), sums)

    def _elements(self, stage: ir.Value, first: ir.Value, expression: Node, outside: ir.Value) -> list[ir.Value]:
        """What the program makes of the factors, in f32; beyond the depth `outside`."""
        factors = {product: factor.emit(stage) for product, factor in self.factors.items()}
        groups = [first_of_pair(first, self.lane, column) for column in range(self.columns)]
        places = fragment_places(4 * self.columns, self.columns)
        return self.rows.computed(expression, factors, places, groups, 2, outside)

    @property
    def _combine(self) -> Combine:
        return COMBINE[self._fold[0]]

    def _folded(self, elements: Sequence[ir.Value], totals: Sequence[ir.Value]) -> list[ir.Value]:
        combine = self._combine
        rows = [[v for n, v in enumerate(elements) if n % 4 // 2 == half] for half in range(len(HALVES))]
        return [combine(total, combined(row, combine)) for total, row in zip(totals, rows)]

    # The end

    def _write(self, sums: Sequence[ir.Value], result: ir.Value) -> None:
        first, places = first_of_pair(index_constant(0), self.lane, 0), fragment_places(len(sums), len(sums) // 4)
        self.rows.write(result, first, 2, N, sums, places)

    def _store(self, totals: Sequence[ir.Value], result: ir.Value) -> None:
        """The first lane of four stores what they have together."""
        p, combine = self.attention.values, self._combine
        kind = ir.MemRefType(result.type).element_type
        is_first = equals(arith.remui(self.lane, index_constant(4)), 0)
        for total, at, number in zip(totals, self.rows.at, self.rows.numbers):
            value = across(QUAD, self._with_hidden(total, at), combine)
            is_row = is_below(number, p.m)
            with where(is_first, is_row):
                memref.store(as_type(kind, value), result, indices(self.attention.places, at))

    def _with_hidden(self, total: ir.Value, at: dict[int, ir.Value]) -> ir.Value:
        """The maximum with that of the steps that were not taken."""
        hidden = self.plan.hidden
        if hidden is None or self._fold[0] != "arith.maximumf":
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
