"""The loops of a stage as a list, and what is inside of them.

map                         for each outer loop; vectors: store                    (or: ...; steps of a tile; vectors: store)
reduction along columns     for each kept loop; vectors: { for each reduced loop: accumulate }, store
reduction along rows        for each kept loop: { for each other reduced loop; vectors: accumulate }, merge the lanes, store
chain (softmax)             for each row: the same for each level of its reductions; { vectors: store }
chain of short rows         for each outer loop; vectors of rows: { steps along the rows: accumulate } for each level; { steps: store }"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from mlir import ir

from hlo.lowering.linalg.iteration import Affine
from hlo.lowering.loop_list import walk
from hlo.lowering.vector.region.accumulators import Accumulators
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.graph import Store
from hlo.lowering.vector.region.interleaving import side_by_side
from hlo.lowering.vector.region.loops import Carry, Inner, Loop, Loops
from hlo.lowering.vector.region.memory import Buffer, Tile
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.short_rows import has_rows_in_lanes, in_columns


def write_stage(emitter: Any, nest: Nest, plan: Plan) -> None:
    """All loops of a stage, through the emitter of its kernel."""
    stage = StageLoops(emitter, nest, plan)
    walk(stage.loops(), stage.reduce if nest.stage.generics else stage.store, Tile({}), Carry())


class StageLoops(Loops):
    def __init__(self, emitter: Any, nest: Nest, plan: Plan):
        self.has_rows_in_lanes = has_rows_in_lanes(nest.stage, plan)
        self.inputs: list[ir.Value] = []
        if self.has_rows_in_lanes:
            nest, self.inputs = in_columns(nest, plan)
        super().__init__(emitter, nest, plan)
        self.nest = nest
        self.wide, self.narrow = wide_and_narrow(self.stage, len(nest.index))
        self.has_lanes_along_rows = plan.lanes in self.stage.reduction
        self.reduced_around = [d for d in self.stage.reduction if d not in (plan.lanes, plan.stepped)]
        """Around vectors or steps."""
        self.fresh_rows: set[ir.Value] = set()

    def loops(self) -> list[Loop]:
        """Those around what is stored, and around what is reduced."""
        stage, plan = self.stage, self.plan
        outer = [d for d in stage.parallel if d not in (plan.lanes, plan.stepped)]
        if plan.lanes is None or self.has_lanes_along_rows:
            return self.over(outer)
        if plan.stepped is None or plan.stepped in (plan.lanes, *stage.reduction):
            return [*self.over(outer), self.tiles]
        # The outermost loop is what threads divide.
        has_few_steps = not outer and plan.stepped.size // plan.steps < self.emitter.parts
        inner: list[Loop] = [partial(self.steps, plan.steps), self.tiles]
        return [*self.over(outer), *(reversed(inner) if has_few_steps else inner)]

    def store(self, tile: Tile, carry: Carry, stores: Sequence[Store] = ()) -> Carry:
        """Evaluates the stage's values in a tile, all before the first store (an argument may be overwritten)."""
        evaluator, stores = self.emitter.evaluator, stores or self.stage.stores
        values = {store: evaluator.value(store.value, store.at, tile) for store in stores}
        for first, *others in side_by_side(stores, tile.lanes):
            self.emitter.store(first, tile, *(values[store] for store in (first, *others)))
        return carry

    # ---- reductions

    def reduce(self, tile: Tile, carry: Carry) -> Carry:
        """The rows of a tile: a sweep over them for each level of reductions, then one for the results over all dimensions."""
        evaluator = self.emitter.evaluator
        with self._rows_kept():
            self._keep(self.inputs, self.plan.width, tile)
            for level in self.stage.levels or [self.stage.generics]:
                combiners = [c for c in self.nest.combiners if c.op in level]
                self.accumulators = Accumulators(self.emitter, self.nest, self.plan, combiners)
                with self._rows_stored():
                    evaluator.known.update(self.accumulators.results(self._reduced(tile)))
            self._store_rows(tile)
            if self.narrow:
                self.store(tile, [], self.narrow)
        return carry

    def _reduced(self, tile: Tile) -> Carry:
        """The reductions at their ends."""
        accumulators = self.accumulators
        starts = accumulators.starts(tile)
        if not self._has_parts:
            return walk(self._reduced_loops(), self._accumulate, tile, starts)
        carry = walk(self._reduced_loops(), self._accumulate, tile, accumulators.starts_of_parts(starts))
        carry = accumulators.merged(starts, carry)
        if self.has_lanes_along_rows and not self.emitter.target.masks and self.lanes.size % self.plan.width:
            carry = walk([*self.over(self.reduced_around), self.singles], self._accumulate, tile, carry)
        return carry

    @property
    def _has_parts(self) -> bool:
        """Whether a reduction has partial results, which are merged at its end."""
        may_have = self.has_rows_in_lanes and all(c.kind == "op" for c in self.accumulators.combiners)
        return self.has_lanes_along_rows or may_have

    def _reduced_loops(self) -> list[Loop]:
        """Those around what is accumulated."""
        plan, around = self.plan, self.reduced_around
        if self.has_lanes_along_rows:
            return [*self.over(around, -(-self.lanes.size // self.stride)), self.vectors]
        conditions: list[Loop] = [self._unless_padding] * bool(self.unrolled)
        if plan.stepped not in self.stage.reduction:
            return [*self.over(around), *conditions]
        return [*self.over(around, self.stepped.size), *conditions, partial(self.steps, plan.steps)]

    def _unless_padding(self, tile: Tile, carry: Carry, inner: Inner) -> Carry:
        """Leaves out iterations that add nothing."""
        return carry if self.accumulators.add_nothing(tile) else inner(tile, carry)

    def _accumulate(self, tile: Tile, carry: Carry) -> Carry:
        is_in_steps = tile.stepped in self.stage.reduction and not self._has_parts
        accumulate = self.accumulators.accumulate_steps if is_in_steps else self.accumulators.accumulate
        carry = accumulate(tile, carry)
        self._keep_rows(tile)
        return carry

    # ---- rows

    def _store_rows(self, tile: Tile) -> None:
        """The results over all dimensions. Where lanes are rows, each by itself, from a buffer of columns."""
        plan, groups = self.plan, [self.wide] if self.wide else []
        loops: list[Loop] = [*self.over(self.reduced_around), *[self.tiles] * (plan.lanes is not None)]
        if self.has_rows_in_lanes:
            self._keep([s.value for s in self.wide if s.value not in self.emitter.evaluator.rows], plan.steps, tile)
            loops, groups = [partial(self.steps, plan.width)], [[store] for store in self.wide]

        def leaf(tile: Tile, carry: Carry) -> Carry:
            for group in groups:
                self.store(tile, carry, group)
            return carry

        if groups:
            walk(loops, leaf, tile, Carry())

    @contextmanager
    def _rows_kept(self) -> Iterator[None]:
        """While rows are computed: the evaluator knows the results of their reductions, and their values in buffers."""
        evaluator = self.emitter.evaluator
        evaluator.known, evaluator.rows, evaluator.row_index = {}, {}, self.nest.index
        evaluator.first_row = self.lanes if self.has_rows_in_lanes else None
        for buffer, _ in self._row_buffers.values():
            buffer.floor = self.emitter.code.depth
        yield
        evaluator.known, evaluator.rows, evaluator.first_row = {}, {}, None

    @contextmanager
    def _rows_stored(self) -> Iterator[None]:
        """What `_keep_rows` stores inside is read from there afterwards."""
        self.fresh_rows = set()
        yield
        self.emitter.evaluator.rows.update({v: self._row_buffers[v] for v in self.fresh_rows})

    def _keep(self, values: Sequence[ir.Value], count: int, tile: Tile) -> None:
        """Evaluates values of whole rows into their buffers, so many elements at a time."""

        def leaf(tile: Tile, carry: Carry) -> Carry:
            for value in values:
                self.emitter.evaluator.value(value, self.nest.index, tile)
            self._keep_rows(tile)
            return carry

        if values:
            with self._rows_stored():
                walk([partial(self.steps, count)], leaf, tile, Carry())

    def _keep_rows(self, tile: Tile) -> None:
        """Stores the values of a tile that later sweeps need."""
        evaluator = self.emitter.evaluator
        for value, (buffer, position) in self._row_buffers.items():
            numbers = tile.memo.get((value, self.nest.index))
            if numbers is not None and value not in evaluator.rows:
                self.emitter.memory.store(buffer, position, evaluator.in_row(tile), numbers)
                self.fresh_rows.add(value)

    @property
    def _row_buffers(self) -> dict[ir.Value, tuple[Buffer, Affine]]:
        """A buffer of the length of a row for each kept value, in the function that is being written."""
        return self.emitter.row_buffers(self.stage)
