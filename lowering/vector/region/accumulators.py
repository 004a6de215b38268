"""The partial results of a stage's reductions: what they start with, how tiles go into them, how they become one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from mlir import ir

from hlo.lowering.balanced_tree import in_pairs
from hlo.lowering.linalg.iteration import apply_map
from hlo.lowering.vector.region.combine import Combiner
from hlo.lowering.vector.region.memory import Tile, number_at
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padding import bounds_of
from hlo.lowering.vector.region.plan import Plan

Carry = list[Number]
States = list[tuple[Combiner, list[list[Number]]]]
"""By reduction, result, vector."""


class Accumulators:
    """Those of `combiners`: all of the stage's, or one level of them."""

    def __init__(self, emitter: Any, nest: Nest, plan: Plan, combiners: Sequence[Combiner]):
        self.emitter = emitter
        self.plan = plan
        self.combiners = combiners
        self.index = nest.index
        self.merges_lanes = plan.lanes in nest.stage.reduction

    # ---- what loops carry

    def states(self, carry: Carry) -> States:
        """What is carried by reduction, result, vector: as many as there is room for, one where elements stay in order."""
        own, others = (
            sum(len(c.op.results) for c in self.combiners if self.in_order(c) == is_one) for is_one in (False, True)
        )
        vectors, values = (len(carry) - others) // max(own, 1), iter(carry)
        counts = [1 if self.in_order(combiner) else vectors for combiner in self.combiners]
        return [(c, [[next(values) for _ in range(n)] for _ in c.op.results]) for c, n in zip(self.combiners, counts)]

    def in_order(self, combiner: Combiner) -> bool:
        """Whether a reduction has one accumulator although its elements come in lanes."""
        return combiner.in_order and self.merges_lanes

    def starts(self, tile: Tile) -> Carry:
        """The initial values."""
        evaluator = self.emitter.evaluator
        found = (numbers for c in self.combiners for numbers in c.starts(evaluator, self.index, tile))
        return [x for numbers in found for x in self._spread(numbers, tile.width, tile.steps)]

    def starts_of_parts(self, starts: Carry) -> Carry:
        """What partial results begin with, to which `merged` adds the initial values: neutral elements, for each vector of a step."""
        code, evaluator, plan = self.emitter.code, self.emitter.evaluator, self.plan
        found: Carry = []
        for combiner, states in self.states(starts):
            initial = [start for (start,) in states]
            if self.in_order(combiner):
                found += initial
                continue
            neutral = [combiner.neutral(evaluator, number) or start for number, start in enumerate(initial)]
            found += [code.splat(n, plan.width) for n in neutral for _ in range(plan.steps)]
        return found

    def _spread(self, numbers: list[Number], width: int, vectors: int) -> list[Number]:
        numbers = [self.emitter.code.splat(n, width) for n in numbers]
        return numbers * vectors if len(numbers) == 1 else numbers

    # ---- blocks of long sums

    def begun(self, carry: Carry) -> Carry:
        """What a block starts with: sums with their neutral element, others with what is carried."""
        found: Carry = []
        evaluator = self.emitter.evaluator
        for combiner, states in self.states(carry):
            for number, vectors in enumerate(states):
                neutral = combiner.neutral(evaluator, number) if combiner.is_float_sum else None
                found += vectors if neutral is None else [evaluator.code.splat(neutral, v.width) for v in vectors]
        return found

    def added(self, carry: Carry, block: Carry) -> Carry:
        """The sums of a block to those that are carried; what else a block has."""
        found: Carry = []
        for (combiner, before), (_, states) in zip(self.states(carry), self.states(block)):
            if combiner.is_float_sum:
                pairs = zip(zip(*before), zip(*states))
                sums = [combiner.merge(self.emitter.evaluator, list(a), list(b)) for a, b in pairs]
                states = [list(vectors) for vectors in zip(*sums)]
            found += [v for vectors in states for v in vectors]
        return found

    # ---- tiles

    def accumulate(self, tile: Tile, carry: Carry) -> Carry:
        """One tile into the accumulators. Lanes that do not count keep what they hold."""
        evaluator, new = self.emitter.evaluator, []
        for combiner, states in self.states(carry):
            if tile.width and self.in_order(combiner):
                new += self._accumulate_in_order(combiner, tile, states)
                continue
            used = [state[: tile.steps] for state in states]
            results = evaluator.generic_results(combiner.op, self.index, tile, used, combiner.body_in_order())
            for state, numbers in zip(states, results):
                numbers = self._spread(numbers, state[0].width, tile.steps)
                new += [self._kept(tile, step, n, state[step]) for step, n in enumerate(numbers)]
                new += state[tile.steps :]
        return new

    def _kept(self, tile: Tile, step: int, new: Number, old: Number) -> Number:
        if not tile.masked(step) or not self.merges_lanes:
            return new
        code = self.emitter.code
        return code.select(code.mask(tile.width, tile.tail), new, old)

    def accumulate_steps(self, tile: Tile, carry: Carry) -> Carry:
        """A tile whose steps are elements of a reduced loop: one after the other."""
        evaluator, new = self.emitter.evaluator, []
        for combiner, states in self.states(carry):
            inputs = evaluator.generic_inputs(combiner.op, self.index, tile)
            for step in range(tile.steps):
                at = [[number_at(x, step)] if x else [] for x in inputs]
                results = evaluator.generic_body(combiner.op, self.index, tile, at, states, combiner.body_in_order())
                states = [self._spread(r, tile.width, 1) for r in results]
            new += [x for state in states for x in state]
        return new

    def _accumulate_in_order(self, combiner: Combiner, tile: Tile, states: list[list[Number]]) -> Carry:
        """A tile into one accumulator: each element is merged with its neighbour, the results with theirs, and so on."""
        evaluator, code = self.emitter.evaluator, self.emitter.code
        elements = combiner.elements(evaluator, self.index, tile)
        columns = [self._spread(numbers, tile.width, tile.steps) for numbers in elements]
        counts = [tile.count(step) for step in range(tile.steps)]
        vectors = [(list(vector), count) for vector, count in zip(zip(*columns), counts)]
        state, count = in_pairs(vectors, lambda a, b: self._neighbours(combiner, a, b))
        while state[0].width > 1:
            state, count = self._neighbours(combiner, (state, count))
        state = [code.extract_lane(x, 0) for x in state]
        return combiner.merge(evaluator, [s for (s,) in states], state)

    def _neighbours(self, combiner: Combiner, *vectors: tuple[list[Number], int]) -> tuple[list[Number], int]:
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

    def add_nothing(self, tile: Tile) -> bool:
        """Whether an iteration reads padding only, which leaves the reductions as they are."""
        return all(self._adds_nothing(combiner, tile) for combiner in self.combiners)

    def _adds_nothing(self, combiner: Combiner, tile: Tile) -> bool:
        padding = combiner.neutral_padding()
        if padding is None:
            return False
        index = apply_map(combiner.op.attributes["indexing_maps"][0].value, self.index)
        return any(tile.fixed(bound).holds_never(tile.values) for bound in bounds_of(padding, index))

    # ---- results

    def merged(self, starts: Carry, carry: Carry) -> Carry:
        """The partial results into one for each of `starts`: a balanced tree over the vectors, then over the lanes where these are reduced."""
        found: Carry = []
        for (combiner, states), (_, initial) in zip(self.states(carry), self.states(starts)):
            if self.in_order(combiner):
                found += [s for (s,) in states]
                continue
            merge = partial(combiner.merge, self.emitter.evaluator)
            total = in_pairs([list(part) for part in zip(*states)], merge)
            total = self._across_lanes(combiner, total) if self.merges_lanes else total
            found += merge([start for (start,) in initial], total)
        return found

    def _across_lanes(self, combiner: Combiner, state: list[Number]) -> list[Number]:
        evaluator, code, width = self.emitter.evaluator, self.emitter.code, self.plan.width
        while width > 1:
            width //= 2
            low, high = list(range(width)), list(range(width, 2 * width))
            if combiner.is_extreme_in(code, self.plan.width):  # which has an instruction for vectors of this width only
                others = [code.shuffle(x, x, high * (self.plan.width // width)) for x in state]
                state = combiner.merge(evaluator, state, others)
            else:
                halves = [[code.shuffle(x, x, lanes) for x in state] for lanes in (low, high)]
                state = combiner.merge(evaluator, *halves)
        return [code.extract_lane(x, 0) for x in state]

    def results(self, carry: Carry) -> dict[ir.Value, list[Number]]:
        """The reductions' results, from what is carried at their ends."""
        return {
            result: [combiner.finished(self.emitter.evaluator, number, x) for x in states[number]]
            for combiner, states in self.states(carry)
            for number, result in enumerate(combiner.op.results)
        }
