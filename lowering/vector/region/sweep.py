"""The loop nests of a stage: maps, and reductions with the lanes along a reduced dimension ("rows"), along a kept one
("columns"), or on scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from typing import Any

from mlir import ir

from hlo.lowering.linalg.iteration import Dim, apply_map
from hlo.lowering.vector.region.blocked_sums import BlockedSums
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.combine import Combiner
from hlo.lowering.vector.region.memory import Tile, number_at
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padded_read import Base, Peeling
from hlo.lowering.vector.region.padding import bounds_of, dilated_loops
from hlo.lowering.vector.region.plan import Plan, side_by_side
from hlo.lowering.vector.region.short_rows import ShortRows, in_pairs

Carry = list[Number]

LEAST_TILES, LEAST_OF_AGAIN = 8, 32
"""Tiles of a loop from which the last one may begin earlier, and the iterations for each that is computed again."""


class Sweep:
    """Writes one stage through an emitter (which holds code, memory, evaluator, result buffers)."""

    def __init__(self, emitter: Any, nest: Nest, plan: Plan):
        self.emitter = emitter
        self.stage = nest.stage
        self.plan = plan
        self.combiners = nest.combiners
        self.accesses = nest.accesses
        self.fresh_rows: set[Any] = set()
        self.index = nest.index
        self.sums = BlockedSums(self)
        self.peeling = Peeling(nest.accesses.bounds, plan.peeled)
        taps = dilated_loops(nest.accesses.bounds) if plan.phases else set()
        self.unrolled = set(self.stage.dims) if plan.all_unrolled else {d for d in self.stage.reduction if d in taps}

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

    @property
    def lanes(self) -> Dim:
        assert self.plan.lanes is not None, "this way of writing is for plans with lanes"
        return self.plan.lanes

    @property
    def stepped(self) -> Dim:
        assert self.plan.stepped is not None, "a plan with lanes has steps"
        return self.plan.stepped

    # ---- loops

    def nest(
        self,
        dims: Sequence[Dim],
        body: Callable[[Base, Carry], Carry | None],
        base: Base | None = None,
        carry: Sequence[Number] = (),
        inside: int = 1,
    ) -> Carry:
        """A loop for each Dim, outermost first. `inside`: what the body adds to each sum that is carried."""
        base = base or {}
        if not dims:
            return body(base, list(carry)) or []
        first, *rest = dims

        def inner(at: Number, carry: Carry) -> Carry:
            return self.nest(rest, body, {**base, first: at}, carry, inside)

        if first in self.unrolled:
            for n in range(first.size):
                carry = inner(self.emitter.code.index_constant(n), list(carry))
            return list(carry)
        interior = self.peeling.interior(first, base)
        if len(interior) in (0, first.size):
            terms = inside * prod(d.size for d in rest)
            return self.sums.loop(range(first.size), inner, carry, not base, terms)
        self.emitter.loop(interior.start, interior.stop, 1, inner, carry, not base)
        self.peeling.edges(self.emitter.code, first, interior, lambda at: inner(at, []))
        return []

    def along_lanes(
        self,
        body: Callable[[Tile, Carry], Carry | None],
        base: Base,
        carry: Sequence[Number] = (),
        steps: int = 0,
    ) -> Carry:
        """Full vectors along the lanes' dimension, then (if the target has masks) the remainder as one tile. Of many tiles the last one begins
        earlier instead, where it may compute again what others have: it needs no code of its own."""
        plan, dim = self.plan, self.lanes
        steps = steps or plan.steps
        own = plan.stepped is dim
        stride = plan.width * (steps if own else 1)
        main = dim.size // stride * stride

        def tile(at: Number, steps: int, tail: int) -> Tile:
            return Tile({**base, dim: at}, dim, plan.width, plan.stepped, steps, tail)

        def full(at: Number, carried: Carry) -> Carry:
            return body(tile(at, steps, 0), carried) or []

        if self.overlaps:
            last = dim.size - stride
            return self.emitter.loop(
                0, dim.size, stride, lambda at, c: full(self.at_most(at, last), c), carry, not base
            )
        for part in self.peeling.parts(dim, main, stride, base):
            positions = range(part.start, part.stop, stride)
            carry = self.sums.loop(positions, full, carry, not base and main == len(part))
        left = dim.size - main
        if self.emitter.target.masks and left:
            count = -(-left // plan.width) if own else steps
            at = self.emitter.code.index_constant(main)
            return body(tile(at, count, left % plan.width), list(carry)) or []
        vectors = left // plan.width * plan.width
        return self.emitter.loop(
            main,
            main + vectors,
            plan.width,
            lambda at, c: body(tile(at, 1 if own else steps, 0), c) or [],
            carry,
        )

    def at_most(self, at: Number, last: int) -> Number:
        """A position, or the last one where a tile may begin."""
        code = self.emitter.code
        begin = code.arith("minsi", at, code.index_constant(last))
        begin.values = range(last + 1)
        return begin

    @property
    def overlaps(self) -> bool:
        """Whether the last tile along the lanes begins earlier."""
        plan, size = self.plan, self.lanes.size
        stride = plan.width * (plan.steps if plan.stepped is self.lanes else 1)
        return self.may_overlap(size, stride, (-size % stride) // plan.width * plan.width)

    def may_overlap(self, size: int, stride: int, again: int) -> bool:
        """Whether the last tile along a loop of this size may begin earlier: results must not be where operands are, nor reductions over the lanes, and the
        iterations that are computed `again`, where the code of a remainder had none, few."""
        may_repeat = self.lanes not in self.stage.reduction and not self.emitter.in_place and not self.accesses.bounds
        return may_repeat and size % stride > 0 and size >= max(LEAST_TILES * stride, LEAST_OF_AGAIN * again)

    def leftover(
        self,
        body: Callable[[Tile, Carry], Carry | None],
        base: Base,
        carry: Sequence[Number] = (),
        steps: int = 1,
    ) -> Carry:
        """What `along_lanes` leaves: single elements, on a target without masks."""
        dim = self.lanes
        start = (
            dim.size if self.emitter.target.masks or self.overlaps else dim.size // self.plan.width * self.plan.width
        )
        stepped = None if self.plan.stepped is dim else self.plan.stepped
        return self.emitter.loop(
            start,
            dim.size,
            1,
            lambda at, c: body(Tile({**base, dim: at}, None, 0, stepped, steps if stepped else 1), c) or [],
            carry,
        )

    def tiles(self, body: Callable[[Tile], Any], base: Base, steps: int = 0) -> None:
        """All tiles along the lanes' dimension."""
        self.along_lanes(lambda tile, _: body(tile), base, (), steps)
        self.leftover(lambda tile, _: body(tile), base, (), steps or 1)

    # ---- maps

    def map(self) -> None:
        plan = self.plan
        if plan.lanes is None:
            self.nest(self.stage.dims, lambda base, _: self.write(Tile(base)))
            return
        outer = [d for d in self.stage.dims if d not in (plan.lanes, plan.stepped)]
        self.nest(outer, lambda base, _: self.map_inner(base))

    def map_inner(self, base: Base) -> None:
        stepped = self.stepped
        if stepped is self.lanes:
            self.tiles(self.write, base, self.plan.steps)
            return
        steps = self.plan.steps
        main = stepped.size // steps * steps
        if not base and main // steps < self.emitter.parts:
            self.tiles(lambda tile: self.along_stepped(tile, main), base, steps)
            return
        loop, code = self.emitter.loop, self.emitter.code
        if self.may_overlap(stepped.size, steps, -stepped.size % steps):
            last = stepped.size - steps
            step = lambda at, _: self.tiles(self.write, {**base, stepped: self.at_most(at, last)}, steps)
            loop(0, stepped.size, steps, step, (), not base)
            return
        loop(0, main, steps, lambda at, _: self.tiles(self.write, {**base, stepped: at}, steps), (), not base)
        if stepped.size > main:
            self.tiles(self.write, {**base, stepped: code.index_constant(main)}, stepped.size - main)

    def along_stepped(self, tile: Tile, main: int) -> None:
        """All tiles along the stepped loop, which has too few for the threads: the lanes' loop is divided among them."""
        steps, loop = self.plan.steps, self.emitter.loop
        loop(0, main, steps, lambda at, _: self.write(self.moved(tile, at, steps)))
        if self.stepped.size > main:
            end = self.emitter.code.index_constant(main)
            self.write(self.moved(tile, end, self.stepped.size - main))

    def moved(self, tile: Tile, at: Number, steps: int) -> Tile:
        """The tile of so many steps from an index of the stepped loop on."""
        return replace(tile, base={**tile.base, self.stepped: at}, steps=steps, memo={})

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
        carry = [x for c in self.combiners for x in self.initial(c, tile, vectors)]
        reduction = [d for d in self.stage.reduction if d is not tile.stepped]

        def element(base: Base, carry: Carry) -> Carry:
            inner = Tile({**tile.base, **base}, tile.lanes, tile.width, tile.stepped, tile.steps, tile.tail)
            if self.unrolled and all(self.adds_nothing(c, inner) for c in self.combiners):
                return carry
            return (
                self.in_steps(inner, self.stepped, inner.steps, self.accumulate_chain, carry)
                if whole
                else self.accumulate(inner, carry, vectors)
            )

        carry = self.nest(reduction, element, tile.base, carry, self.stepped.size if whole else 1)
        self.store_states(tile, self.unflatten(carry, vectors))

    def in_steps(
        self, tile: Tile, dim: Dim, steps: int, body: Callable[[Tile, Carry], Carry | None], carry: Carry
    ) -> Carry:
        """A tile along a whole loop: so many of its iterations at a time, then those that are left."""
        code, main = self.emitter.code, dim.size // steps * steps

        def part(at: Number, count: int, carry: Carry) -> Carry:
            base = {**tile.base, dim: at}
            return body(replace(tile, base=base, stepped=dim, steps=count, memo={}), carry) or []

        carry = self.sums.loop(range(0, main, steps), lambda at, c: part(at, steps, c), carry, terms=steps)
        return part(code.index_constant(main), dim.size - main, list(carry)) if dim.size > main else list(carry)

    def adds_nothing(self, combiner: Combiner, tile: Tile) -> bool:
        """Whether an iteration reads padding only, which leaves the reduction as it is."""
        padding = combiner.neutral_padding()
        if padding is None:
            return False
        index = apply_map(combiner.op.attributes["indexing_maps"][0].value, self.index)
        return any(tile.fixed(bound).holds_never(tile.values) for bound in bounds_of(padding, index))

    def row(self, base: Base) -> None:
        self.store_states(Tile(base), self.row_states(base))

    def row_states(self, base: Base) -> list[list[list[Number]]]:
        """The results of the reductions of one row: partial results in lanes, merged at the end."""
        plan = self.plan
        initial = [self.initial(c, Tile(base), 1) for c in self.combiners]
        carry = [x for c, starts in zip(self.combiners, initial) for x in self.partial(c, starts)]
        outer = [d for d in self.stage.reduction if d is not plan.lanes]

        def lanes(base: Base, carry: Carry) -> Carry:
            return self.along_lanes(lambda t, c: self.accumulate(t, c, plan.steps), base, carry)

        if plan.lanes is None:
            carry = [x for starts in initial for x in starts]
            carry = self.nest(outer, lambda at, c: self.accumulate(Tile(at), c, 1), base, carry)
            return self.unflatten(carry, 1)
        carry = self.nest(outer, lanes, base, carry, -(-plan.lanes.size // (plan.width * plan.steps)))
        parts = zip(self.combiners, initial, self.unflatten(carry, plan.steps))
        carry = [x for c, start, states in parts for x in self.merged(c, start, states)]

        def single(base: Base, carry: Carry) -> Carry:
            return self.leftover(lambda t, c: self.accumulate(t, c, 1), base, carry)

        if not self.emitter.target.masks and plan.lanes.size % plan.width:
            carry = self.nest(outer, single, base, carry)
        return self.unflatten(carry, 1)

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
        """While a row (or as many as there are lanes) is computed: the evaluator knows the results of its reductions, and its values in buffers."""
        evaluator = self.emitter.evaluator
        evaluator.known, evaluator.rows, evaluator.row_index = {}, {}, tuple(self.index)
        for buffer, _ in self.row_buffers.values():
            buffer.floor = self.emitter.code.depth
        yield
        evaluator.known, evaluator.rows = {}, {}

    def reduce_levels(self, states: Callable[[], list[list[list[Number]]]]) -> None:
        """`states`: sweeps over the row for `combiners`, those of one level."""
        everything = self.combiners
        for level in self.stage.levels:
            self.combiners = [c for c in everything if c.op in level]
            with self.rows_stored():
                found = states()
                self.emitter.evaluator.known.update(self.results_of(found))
        self.combiners = everything

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

        def inner(base: Base, _: Carry) -> None:
            if lanes is None:
                return body(Tile(base))
            self.along_lanes(lambda tile, _: body(tile), base)
            self.leftover(lambda tile, _: body(tile), base)
            return None

        self.nest(outer, inner, base)

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

    def initial(self, combiner: Combiner, tile: Tile, vectors: int) -> list[Number]:
        """The initial values, for each result and vector."""
        view = combiner.op.opview
        maps = list(view.indexing_maps)[len(view.inputs) :]
        found, evaluator = [], self.emitter.evaluator
        for k, (operand, attribute) in enumerate(zip(view.outputs, maps)):
            numbers = evaluator.value(operand, apply_map(attribute.value, self.index), tile)
            numbers = [combiner.carried(evaluator, k, n) for n in numbers]
            found += self.spread(numbers, tile.width, vectors)
        return found

    def spread(self, numbers: list[Number], width: int, vectors: int) -> list[Number]:
        numbers = [self.emitter.code.splat(n, width) for n in numbers]
        return numbers * vectors if len(numbers) == 1 else numbers

    def unflatten(self, carry: Sequence[Number], vectors: int) -> list[list[list[Number]]]:
        """By reduction, result, vector."""
        values = iter(carry)
        counts = [1 if self.in_order(combiner) else vectors for combiner in self.combiners]
        return [[[next(values) for _ in range(n)] for _ in c.op.results] for c, n in zip(self.combiners, counts)]

    def in_order(self, combiner: Combiner) -> bool:
        """Whether a reduction has one accumulator although its elements come in lanes."""
        return combiner.in_order and self.plan.lanes in self.stage.reduction

    def partial(self, combiner: Combiner, starts: list[Number]) -> list[Number]:
        """What the accumulators of a row start with."""
        if self.in_order(combiner):
            return starts
        code, evaluator, plan = self.emitter.code, self.emitter.evaluator, self.plan
        neutral = [combiner.neutral(evaluator, k) or start for k, start in enumerate(starts)]
        return [code.splat(n, plan.width) for n in neutral for _ in range(plan.steps)]

    def accumulate(self, tile: Tile, carry: Carry, vectors: int) -> Carry:
        """One tile into the accumulators. Lanes that do not count keep what they hold."""
        evaluator, new = self.emitter.evaluator, []
        for combiner, states in zip(self.combiners, self.unflatten(carry, vectors)):
            if tile.width and self.in_order(combiner):
                new += self.accumulate_in_order(combiner, tile, states)
                continue
            used = [state[: tile.steps] for state in states]
            results = evaluator.generic_results(combiner.op, self.index, tile, used, combiner.body())
            for state, numbers in zip(states, results):
                numbers = self.spread(numbers, state[0].width, tile.steps)
                new += [self.kept(tile, step, n, state[step]) for step, n in enumerate(numbers)]
                new += state[tile.steps :]
        self.keep_rows(tile)
        return new

    def kept(self, tile: Tile, step: int, new: Number, old: Number) -> Number:
        if not tile.masked(step) or self.plan.lanes not in self.stage.reduction:
            return new
        code = self.emitter.code
        return code.select(code.mask(tile.width, tile.tail), new, old)

    def accumulate_chain(self, tile: Tile, carry: Carry) -> Carry:
        """A tile whose steps are the elements of a short reduced dimension: one after the other."""
        evaluator, new = self.emitter.evaluator, []
        for combiner, states in zip(self.combiners, self.unflatten(carry, 1)):
            inputs = evaluator.generic_inputs(combiner.op, self.index, tile)
            for step in range(tile.steps):
                at = [[number_at(x, step)] if x else [] for x in inputs]
                results = evaluator.generic_body(combiner.op, self.index, tile, at, states, combiner.body())
                states = [self.spread(r, tile.width, 1) for r in results]
            new += [x for state in states for x in state]
        return new

    def accumulate_in_order(self, combiner: Combiner, tile: Tile, states: list[list[Number]]) -> Carry:
        """A tile into one accumulator: each element is merged with its neighbour, the results with theirs, and so on."""
        evaluator, code = self.emitter.evaluator, self.emitter.code
        elements = combiner.elements(evaluator, self.index, tile)
        columns = [self.spread(numbers, tile.width, tile.steps) for numbers in elements]
        counts = [tile.count(step) for step in range(tile.steps)]
        vectors = [(list(vector), count) for vector, count in zip(zip(*columns), counts)]
        state, count = in_pairs(vectors, lambda a, b: self.neighbours(combiner, a, b))
        while state[0].width > 1:
            state, count = self.neighbours(combiner, (state, count))
        state = [code.extract_lane(x, 0) for x in state]
        return combiner.merge(evaluator, [s for (s,) in states], state)

    def neighbours(self, combiner: Combiner, *vectors: tuple[list[Number], int]) -> tuple[list[Number], int]:
        """One vector or two behind one another, half as long: each even lane merged with the odd one that follows. A vector comes
        with how many of its lanes count, which are the first; the last of an odd number has nothing to be merged with."""
        code, count = self.emitter.code, sum(n for _, n in vectors)
        columns = list(zip(*(numbers for numbers, _ in vectors)))
        lanes = sum(x.width for x in columns[0])
        even, odd = ([code.shuffle(x[0], x[-1], list(range(first, lanes, 2))) for x in columns] for first in (0, 1))
        if count == 1:
            return even, 1
        merged = combiner.merge(self.emitter.evaluator, even, odd)
        if count % 2:
            has_odd = code.mask(lanes // 2, count // 2)
            merged = [code.select(has_odd, both, one) for both, one in zip(merged, even)]
        return merged, (count + 1) // 2

    def merged(self, combiner: Combiner, start: list[Number], states: list[list[Number]]) -> list[Number]:
        """The accumulators of a row into one: a balanced tree over the vectors, then over the lanes."""
        if self.in_order(combiner):
            return [s for (s,) in states]
        evaluator, code = self.emitter.evaluator, self.emitter.code
        state = in_pairs([list(part) for part in zip(*states)], lambda a, b: combiner.merge(evaluator, a, b))
        width = self.plan.width
        while width > 1:
            width //= 2
            low, high = list(range(width)), list(range(width, 2 * width))
            if combiner.is_extreme_in(code, self.plan.width):  # which has an instruction for vectors of this width only
                others = [code.shuffle(x, x, high * (self.plan.width // width)) for x in state]
                state = combiner.merge(evaluator, state, others)
            else:
                halves = [[code.shuffle(x, x, lanes) for x in state] for lanes in (low, high)]
                state = combiner.merge(evaluator, *halves)
        return combiner.merge(evaluator, start, [code.extract_lane(x, 0) for x in state])

    def store_states(self, tile: Tile, states: list[list[list[Number]]]) -> None:
        evaluator = self.emitter.evaluator
        evaluator.known = self.results_of(states)
        values = [evaluator.value(s.value, s.at, tile) for s in self.stage.stores]
        evaluator.known = {}
        for store, numbers in zip(self.stage.stores, values):
            self.emitter.store(store, tile, numbers)

    def results_of(self, states: list[list[list[Number]]]) -> dict[ir.Value, list[Number]]:
        """The reductions' results, from the states at their ends."""
        return {
            result: [combiner.finished(self.emitter.evaluator, k, n) for n in of_op[k]]
            for combiner, of_op in zip(self.combiners, states)
            for k, result in enumerate(combiner.op.results)
        }
