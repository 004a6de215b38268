"""The loop nests of a stage: maps, and reductions with the lanes along a reduced dimension ("rows"), along a kept one
("columns"), or on scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hlo.lowering.vector.region.accumulators import Accumulators
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.interleaving import side_by_side
from hlo.lowering.vector.region.memory import Tile
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padded_read import Base
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.short_rows import ShortRows
from hlo.lowering.vector.region.tile_loops import Carry, TileLoops


class Sweep(TileLoops):
    """Writes one stage."""

    def __init__(self, emitter: Any, nest: Nest, plan: Plan):
        self.accumulators = Accumulators(emitter, nest, plan, self.keep_rows)
        super().__init__(emitter, nest, plan, self.accumulators)
        self.fresh_rows: set[Any] = set()
        self.index = nest.index

    def run(self) -> None:
        plan, stage = self.plan, self.stage
        if not stage.generics:
            self.map()
        elif stage.levels and plan.lanes not in (None, *stage.reduction):
            ShortRows(self, self.accesses).run()
        elif stage.levels:
            self.nest(stage.parallel, lambda base, _: self.chain(base))
        elif plan.lanes is None:
            self.nest(stage.parallel, lambda base, _: self.column(Tile(base)))
        elif plan.lanes in stage.reduction:
            self.nest(stage.parallel, lambda base, _: self.row(base))
        else:
            self.columns()

    # ---- maps

    def map(self) -> None:
        plan = self.plan
        if plan.lanes is None:
            self.nest(self.stage.dims, lambda base, _: self.write(Tile(base)))
            return
        outer = [d for d in self.stage.dims if d not in (plan.lanes, plan.stepped)]
        self.nest(outer, lambda base, _: self.map_inner(base))

    def map_inner(self, base: Base) -> None:
        stepped, steps = self.stepped, self.plan.steps
        if stepped is self.lanes:
            self.tiles(self.write, base, steps)
            return
        if (
            not base and stepped.size // steps < self.emitter.parts
        ):  # too few for the threads: the lanes' loop is divided
            self.tiles(lambda tile: self.in_steps(tile, stepped, steps, lambda part, _: self.write(part)), base, steps)
            return
        step = lambda at, count, _: self.tiles(self.write, {**base, stepped: at}, count)
        overlaps = self.may_overlap(stepped.size, steps, -stepped.size % steps)
        self.stepwise(stepped, steps, step, outermost=not base, overlaps=overlaps)

    def write(self, tile: Tile, stores: Sequence[Any] = ()) -> None:
        """Evaluates the stage's values in a tile, all before the first store (an argument may be overwritten)."""
        evaluator, stores = self.emitter.evaluator, stores or self.stage.stores
        values = {store: evaluator.value(store.value, store.at, tile) for store in stores}
        for first, *others in side_by_side(stores, tile.lanes):
            self.emitter.store(first, tile, *(values[store] for store in (first, *others)))

    # ---- reductions

    def columns(self) -> None:
        lanes, stepped = self.lanes, self.stepped
        outer = [d for d in self.stage.parallel if d is not lanes]
        steps = self.plan.steps

        def column(tile: Tile) -> None:
            if stepped is not lanes:
                tile = self.moved(tile, self.emitter.code.index_constant(0), tile.steps)
            self.column(tile)

        self.nest(outer, lambda base, _: self.tiles(column, base, steps))

    def column(self, tile: Tile) -> None:
        """All elements that are reduced into the results of one tile, in order."""
        whole = tile.stepped is not tile.lanes and tile.stepped is not None
        vectors = 1 if whole else tile.steps
        carry = [x for c in self.accumulators.combiners for x in self.accumulators.initial(c, tile, vectors)]
        reduction = [d for d in self.stage.reduction if d is not tile.stepped]

        def element(base: Base, carry: Carry) -> Carry:
            inner = Tile({**tile.base, **base}, tile.lanes, tile.width, tile.stepped, tile.steps, tile.tail)
            if self.unrolled and all(self.accumulators.adds_nothing(c, inner) for c in self.accumulators.combiners):
                return carry
            return (
                self.in_steps(inner, self.stepped, inner.steps, self.accumulators.accumulate_chain, carry)
                if whole
                else self.accumulators.accumulate(inner, carry, vectors)
            )

        carry = self.nest(reduction, element, tile.base, carry, self.stepped.size if whole else 1)
        self.accumulators.store_states(tile, self.accumulators.unflatten(carry, vectors))

    def row(self, base: Base) -> None:
        self.accumulators.store_states(Tile(base), self.row_states(base))

    def row_states(self, base: Base) -> list[list[list[Number]]]:
        """The results of the reductions of one row: partial results in lanes, merged at the end."""
        plan = self.plan
        initial = [self.accumulators.initial(c, Tile(base), 1) for c in self.accumulators.combiners]
        carry = [
            x for c, starts in zip(self.accumulators.combiners, initial) for x in self.accumulators.partial(c, starts)
        ]
        outer = [d for d in self.stage.reduction if d is not plan.lanes]

        def lanes(base: Base, carry: Carry) -> Carry:
            return self.along_lanes(lambda t, c: self.accumulators.accumulate(t, c, plan.steps), base, carry)

        if plan.lanes is None:
            carry = [x for starts in initial for x in starts]
            carry = self.nest(outer, lambda at, c: self.accumulators.accumulate(Tile(at), c, 1), base, carry)
            return self.accumulators.unflatten(carry, 1)
        carry = self.nest(outer, lanes, base, carry, -(-plan.lanes.size // (plan.width * plan.steps)))
        parts = zip(self.accumulators.combiners, initial, self.accumulators.unflatten(carry, plan.steps))
        carry = [x for c, start, states in parts for x in self.accumulators.merged(c, start, states)]

        def single(base: Base, carry: Carry) -> Carry:
            return self.leftover(lambda t, c: self.accumulators.accumulate(t, c, 1), base, carry)

        if not self.emitter.target.masks and plan.lanes.size % plan.width:
            carry = self.nest(outer, single, base, carry)
        return self.accumulators.unflatten(carry, 1)

    # ---- chains

    def chain(self, base: Base) -> None:
        """One row: a sweep for each level of reductions, then one for the results over all dimensions."""
        with self.row_kept():
            self.reduce_levels(lambda: self.row_states(base))
            wide, narrow = wide_and_narrow(self.stage, len(self.index))
            if wide:
                self.sweep_row(lambda tile: self.write(tile, wide), base)
            if narrow:
                self.write(Tile(base), narrow)

    @contextmanager
    def row_kept(self) -> Iterator[None]:
        """While a row (or as many as there are lanes) is computed: the evaluator knows the results of its reductions,
        and its values in buffers."""
        evaluator = self.emitter.evaluator
        evaluator.known, evaluator.rows, evaluator.row_index = {}, {}, tuple(self.index)
        for buffer, _ in self.row_buffers.values():
            buffer.floor = self.emitter.code.depth
        yield
        evaluator.known, evaluator.rows = {}, {}

    def reduce_levels(self, states: Callable[[], list[list[list[Number]]]]) -> None:
        """`states`: sweeps over the row for `combiners`, those of one level."""
        everything = self.accumulators.combiners
        for level in self.stage.levels:
            self.accumulators.combiners = [c for c in everything if c.op in level]
            with self.rows_stored():
                found = states()
                self.emitter.evaluator.known.update(self.accumulators.results_of(found))
        self.accumulators.combiners = everything

    @contextmanager
    def rows_stored(self) -> Iterator[None]:
        """What `keep_rows` stores inside is read from there afterwards."""
        self.fresh_rows = set()
        yield
        self.emitter.evaluator.rows.update({v: self.row_buffers[v] for v in self.fresh_rows})

    def sweep_row(self, body: Callable[[Tile], None], base: Base) -> None:
        """All tiles of a row."""
        lanes = self.plan.lanes
        outer = [d for d in self.stage.reduction if d is not lanes]
        self.nest(outer, lambda base, _: body(Tile(base)) if lanes is None else self.tiles(body, base), base)

    def keep_rows(self, tile: Tile) -> None:
        """Stores the values of a tile that later sweeps need."""
        for value, (buffer, position) in self.row_buffers.items():
            numbers = tile.memo.get((value, tuple(self.index)))
            if numbers is not None and value not in self.emitter.evaluator.rows:
                self.emitter.memory.store(buffer, position, self.emitter.evaluator.in_row(tile), numbers)
                self.fresh_rows.add(value)

    @property
    def row_buffers(self) -> dict[Any, Any]:
        """A buffer of the length of a row for each kept value, in the function that is being written."""
        return self.emitter.row_buffers(self.stage)
