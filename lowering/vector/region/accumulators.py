"""The partial results of a stage's reductions: what they start with, how tiles go into them, how they become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from hlo.lowering.linalg.iteration import apply_map
from hlo.lowering.vector.region.combine import Combiner
from hlo.lowering.vector.region.memory import Tile, number_at
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padding import bounds_of
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.short_rows import in_pairs

Carry = list[Number]


class Accumulators:
    """Those of `combiners`: all of the stage's, or one level of them. `keep`: told of each tile that has gone into them."""

    def __init__(self, emitter: Any, nest: Nest, plan: Plan, keep: Callable[[Tile], None]):
        self.emitter = emitter
        self.stage = nest.stage
        self.plan = plan
        self.combiners = nest.combiners
        self.index = nest.index
        self.keep = keep

    def initial(self, combiner: Combiner, tile: Tile, vectors: int) -> list[Number]:
        """The initial values, for each result and vector."""
        starts = combiner.starts(self.emitter.evaluator, self.index, tile)
        return [x for numbers in starts for x in self.spread(numbers, tile.width, vectors)]

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
        self.keep(tile)
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

    def adds_nothing(self, combiner: Combiner, tile: Tile) -> bool:
        """Whether an iteration reads padding only, which leaves the reduction as it is."""
        padding = combiner.neutral_padding()
        if padding is None:
            return False
        index = apply_map(combiner.op.attributes["indexing_maps"][0].value, self.index)
        return any(tile.fixed(bound).holds_never(tile.values) for bound in bounds_of(padding, index))

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
