"""Every kernel of attention but that by warpgroups: a block of threads has some rows, and goes through the keys in steps. Scores, and what
the program makes of them, stay in registers.

    copy the block's rows of each factor; start to copy the first step's keys, and the rows of the right input
    for each step that has keys which a mask does not hide:
        wait for its tiles; barrier; start to copy the next ones
        elements = what the program makes of rows x keys      state = the combiner's, which multiplies them by the right input
    if a row needs them: the other steps
    the state to the result

Dao, "FlashAttention-2" (2023). `thread_rows.py` says what a thread has, `combiners.py` what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, gpu

from hlo.lowering.expressions.nodes import Node, Product
from hlo.lowering.gpu.attention.causal_mask import Hidden
from hlo.lowering.gpu.attention.combiners import combiner_of
from hlo.lowering.gpu.attention.plan import BYTES, INSTRUCTION_K, STAGES, Placed, TilePlan
from hlo.lowering.gpu.attention.thread_rows import (
    ThreadRows,
    TileCoordinates,
    rounded_pairs,
    terms_of,
)
from hlo.lowering.gpu.contraction.block import FRAGMENT_ROWS, Block, fragment_position
from hlo.lowering.gpu.contraction.pipeline import SharedTile, end_of_group, next_stage, wait_for_groups
from hlo.lowering.gpu.contraction.problem import MatrixTypes
from hlo.lowering.gpu.contraction.tensor_cores import M, N, add_products, fragment
from hlo.lowering.gpu.evaluate import Evaluator, as_f32, f32
from hlo.lowering.gpu.launches import Values
from hlo.lowering.gpu.threads import WARP, any_thread, dynamic_shared_memory
from hlo.lowering.linalg.loops import add, divided, for_loop, index, mul, sub


class TileKernel:
    """The code of a block of threads. `values`: memory, by the tensors that the attention's ops use. `block`: its part of the last op; `lefts`,
    `rights`: both inputs of each factor in shared memory, `right`: that of the last op. A warp has `cut.tiles` times 16 rows; `corner`: its
    first one. `rows`: those of a thread; `count`: its sums. `kept`: fragments of rows that stay in registers through all steps, by factor,
    tile and part of k."""

    rows: ThreadRows

    def __init__(self, plan: TilePlan, values: Values):
        self.plan, self.attention, cut = plan, plan.attention, plan.cut
        self.block = Block(plan.last, plan.tiles, (cut.queries, plan.width or 1), values)
        blocks = {
            product: Block(p, plan.tiles, (cut.queries, cut.keys), values)
            for product, p in self.attention.factors.items()
        }
        if plan.hidden is not None and plan.hidden.hides_last:
            self._begin_with_last([self.block, *blocks.values()])
        self.warp, self.lane = divided(self.block.thread, WARP)
        self.coordinates = TileCoordinates(plan.last, self.attention.parts, cut.queries, cut.keys)
        self.batch = self.coordinates.along(plan.last.batch, self.block.batch)
        self.evaluator = Evaluator(values, is_fast=self.attention.softmax is None)
        memory, tiles = dynamic_shared_memory(), plan.inputs

        def shared(found: Mapping[Product, Placed], stages: int) -> dict[Product, SharedTile]:
            return {one: SharedTile(layout, blocks[one], memory, stages, at) for one, (layout, at) in found.items()}

        self.lefts, self.rights = shared(tiles.lefts, 1), shared(tiles.rights, STAGES)
        if tiles.last is not None:
            layout, at = tiles.last
            self.right = SharedTile(layout, self.block, memory, STAGES, at)
        self.combiner = combiner_of(self)
        self.row, self.column = fragment_position(self.lane)
        self.corner = mul(self.warp, cut.tiles * M)
        self.tiles = range(cut.tiles)
        self.count = cut.tiles * plan.width // N * 4
        self.kept: dict[tuple[Product, int, int], list[ir.Value]] = {}

    def _begin_with_last(self, blocks: Sequence[Block]) -> None:
        """Blocks that see most keys come first."""
        last = index((self.plan.tiles[1] - 1) * self.plan.cut.queries)
        for block in blocks:
            block.first_row = sub(last, block.first_row)

    def emit(self, result: ir.Value) -> None:
        none = index(0)
        self.rows = ThreadRows(
            self.attention, self.coordinates, self.evaluator, self.batch, self._numbers(), self.column
        )
        self._choose_steps()
        for tile in self.lefts.values():
            tile.copy(none, none, self.plan.threads)
        self._copy(none)
        end_of_group()
        self._prepare()
        self.rows.prepare()
        state = self._steps(self.combiner.start())
        if self.needs_rest:
            wait_for_groups(0)  # what has been copied for a step that was not taken
        self.combiner.finish(state, result)

    def _numbers(self) -> list[ir.Value]:
        row = add(self.block.first_row, add(self.corner, self.row))
        return [add(row, tile * M + half) for tile in self.tiles for half in FRAGMENT_ROWS]

    def _prepare(self) -> None:
        wait_for_groups(0)
        gpu.barrier()
        for one, p in self.attention.factors.items():
            if p.k <= self.plan.most_kept:
                for tile in self.tiles:
                    self.kept |= {(one, tile, part): self._rows(one, tile, part) for part in self._parts(one)}

    def _copy(self, number: ir.Value) -> None:
        """Starts to copy what the so many-th step begins with."""
        stage = arith.remui(number, index(STAGES))
        first = self.first_key(number)
        for tile in self.rights.values():
            tile.first = first
            tile.copy(stage, index(0), self.plan.threads)
        if self.plan.inputs.has_own_last:
            self.right.copy(stage, first, self.plan.threads)

    # Steps

    def _choose_steps(self) -> None:
        """`taken`: how many steps the block takes; those that it may have to take are `most`."""
        hidden = self.plan.hidden
        self.taken = self.most = index(self.plan.steps)
        self.needs_rest = hidden is not None and hidden.is_rest_perhaps_needed
        if hidden is None:
            return
        begin, end = hidden.range(self.block.first_row, self.plan.cut.queries)
        if hidden.guards:
            near = self._is_near(hidden)
            begin = arith.select(near, index(0), begin)
            end = arith.select(near, index(hidden.steps), end)
        self.bounds, self.taken = (begin, end), hidden.count(begin, end)
        if not self.needs_rest:
            self.most = self.taken

    def first_key(self, number: ir.Value) -> ir.Value:
        """Of the so many-th step that is taken."""
        hidden = self.plan.hidden
        step = number if hidden is None else hidden.step(number, *self.bounds)
        return mul(step, self.plan.cut.keys)

    def _steps(self, state: list[ir.Value]) -> list[ir.Value]:
        """Those whose keys the block sees; then, where a row may need them, the others."""
        none = index(0)
        if not self.needs_rest:
            return for_loop(none, self.taken, self._step, state)

        def iteration(number: ir.Value, *state: ir.Value) -> list[ir.Value]:
            is_first = arith.cmpi(arith.CmpIPredicate.eq, number, none)
            rest = arith.select(self.combiner.needs_rest(list(state)), self.most, self.taken)
            start, end = arith.select(is_first, none, self.taken), arith.select(is_first, self.taken, rest)
            return for_loop(start, end, self._step, state)

        return for_loop(none, 2, iteration, state)

    def _step(self, number: ir.Value, *state: ir.Value) -> list[ir.Value]:
        products = self._products(number)
        first, combiner = self.first_key(number), self.combiner
        elements = self.rows.computed(combiner.expression, products, first, combiner.outside)
        return combiner.add(number, elements, list(state))

    # Products of a step

    def _products(self, number: ir.Value) -> dict[Product, list[ir.Value]]:
        stage = next_stage(number, self.most, STAGES, self._copy)
        return {one: self._of_factor(one, stage) for one in self.attention.factors}

    def _of_factor(self, one: Product, stage: ir.Value) -> list[ir.Value]:
        """For each tile of a warp's rows, for each eight keys of a stage, a fragment of four."""
        p = self.attention.factors[one]
        kind = p.kind(p.right)
        columns = self.plan.cut.keys // N
        sums = [f32(0.0)] * (len(self.tiles) * columns * 4)
        for part in self._parts(one):
            lefts = [[self._rows(one, tile, part)] for tile in self.tiles]
            right = partial(fragment, self.rights[one], stage, self.lane, part=part)
            add_products(MatrixTypes(kind, kind, "f32", BYTES), lefts, right, columns, sums)
        return sums

    def _rows(self, one: Product, tile: int, part: int) -> list[ir.Value]:
        """A left fragment of a factor."""
        if (one, tile, part) in self.kept:
            return self.kept[one, tile, part]
        return fragment(self.lefts[one], index(0), self.lane, add(self.corner, tile * M), part)

    def _parts(self, one: Product) -> range:
        """Of a factor's k."""
        return range(-(-self.attention.factors[one].k // INSTRUCTION_K))

    def add_products(self, number: ir.Value, elements: Sequence[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
        stage, name, found = arith.remui(number, index(STAGES)), self.attention.kind, list(sums)
        kind, keys = ir.Type.parse(name), self.plan.cut.keys
        for part in range(keys // INSTRUCTION_K):
            starts = [tile * keys // 2 + 8 * part for tile in self.tiles]
            terms = [terms_of(elements[n : n + 8], self.attention.terms) for n in starts]
            lefts = [[rounded_pairs(kind, one) for one in several] for several in terms]
            right = partial(fragment, self.right, stage, self.lane, part=part)
            add_products(MatrixTypes(name, name, "f32", BYTES), lefts, right, -(-self.plan.last.n // N), found)
        return found

    # Whether what a mask hides may add something

    def _is_near(self, hidden: Hidden) -> ir.Value:
        """To any row."""
        found = arith.constant(ir.IntegerType.get_signless(1), 0)
        rows = {*self.plan.last.batch, *self.plan.last.rows}
        for guard in hidden.guards:
            if hidden.free[guard] <= rows:
                for at in self.rows.at:
                    found = arith.ori(found, self._is_something(guard, at, hidden))
            else:
                found = arith.ori(found, self._is_anywhere(guard, hidden))
        return any_thread(found, self.warp, self.lane, self.plan.cut.warps)

    def _is_anywhere(self, guard: Node, hidden: Hidden) -> ir.Value:
        """The same of all of k: each thread looks at some of it."""
        p, none = self.plan.last, arith.constant(ir.IntegerType.get_signless(1), 0)

        def or_here(position: ir.Value, found: ir.Value) -> list[ir.Value]:
            at = {**self.batch, **self.coordinates.along(p.k_dims, position)}
            return [arith.ori(found, self._is_something(guard, at, hidden))]

        return for_loop(self.block.thread, p.k, or_here, [none], self.plan.threads)[0]

    def _is_something(self, guard: Node, at: dict[int, ir.Value], hidden: Hidden) -> ir.Value:
        value = as_f32(hidden.value(self.evaluator, guard, at))
        return arith.cmpf(arith.CmpFPredicate.UNE, value, f32(0.0))
