"""Partial results of a reduction that threads have, and how they are combined.

out = out + f(x)                    each thread begins with -0; its results are added to those of others
out = round(wide(out) + wide(x))    the same in the wider type: a sum of bf16 is rounded once
(max, at) = body(max, at, x, i)     the body itself combines a state with an element, and two states, in the order of elements
                                    (the specification's reductions need not commute)"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.gpu.threads import shuffled
from hlo.lowering.linalg.iteration import Index
from hlo.lowering.linalg.loops import zero
from hlo.lowering.vector.region.combine import NEUTRAL, Combiner, combiner_of
from hlo.lowering.vector.region.memory import Tile, number_at
from hlo.lowering.vector.region.number import Number

State = list[Number]
Inputs = list[list[Number]]
"""Of a body: by operand, a number for each step of a tile."""


def combiners_of(reductions: Sequence[ir.Operation]) -> list[Combiner]:
    """Sums of small floats are in f32."""
    return [combiner_of(op, may_be_wide=NEUTRAL) for op in reductions]


def kinds_of(combiner: Combiner) -> list[ir.Type]:
    """Types of the state that memory keeps, which has an element."""
    if combiner.kind == "op":
        return [merging.results[0].type for merging in combiner.merging]
    return [result.type.element_type for result in combiner.op.results]


@dataclass(frozen=True)
class PartialResults:
    """Of one reduction, in the code of a thread. The last number of a state in order tells whether there is an element in it: such states have no
    neutral value. `index`: that of an element, over the loops of the nest."""

    combiner: Combiner
    thread: Thread
    index: Index

    @property
    def kinds(self) -> list[ir.Type]:
        return kinds_of(self.combiner)

    @property
    def state_kinds(self) -> list[ir.Type]:
        """The types of a state's numbers."""
        return [*self.kinds, *([ir.IntegerType.get_signless(1)] if self.combiner.in_order else [])]

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return len(self.state_kinds)

    def begin(self, tile: Tile) -> list[State]:
        """What a thread begins with, by step of a tile of results."""
        return self.initial(tile) if self.combiner.kind == "sequential" else [self.start()] * tile.steps

    def start(self) -> State:
        """The state of no elements."""
        code = self.thread.code
        if self.combiner.in_order:
            return [*(code.here(zero(kind)) for kind in self.kinds), self._flag(False)]
        found = [self.combiner.neutral(self.thread.evaluator, number) for number in range(len(self.kinds))]
        return [one for one in found if one is not None]

    def _flag(self, value: bool) -> Number:
        return self.thread.code.constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(1), int(value)))

    def initial(self, tile: Tile) -> list[State]:
        """What the results begin with, by step of a tile of results."""
        columns = list(self.combiner.starts(self.thread.evaluator, self.index, tile))
        return [[number_at(column, step) for column in columns] for step in range(tile.steps)]

    def inputs(self, tile: Tile) -> Inputs:
        """Of the body; in order they are a state."""
        evaluator = self.thread.evaluator
        if self.combiner.in_order:
            return self.combiner.elements(evaluator, self.index, tile)
        return evaluator.generic_inputs(self.combiner.op, self.index, tile)

    def add(self, state: State, tile: Tile, inputs: Inputs, step: int) -> State:
        """The state with the element of a step."""
        own = [[number_at(numbers, step)] if numbers else [] for numbers in inputs]
        if self.combiner.in_order:
            return self.merge(state, self.from_memory([x for (x,) in own]))
        held = [[x] for x in state]
        found = self.thread.evaluator.generic_body(self.combiner.op, self.index, tile, own, held, self.combiner.body())
        return [number_at(numbers, step) for numbers in found]

    def from_memory(self, values: Sequence[Number]) -> State:
        """The state that memory keeps, or that of one element."""
        return [*values, self._flag(True)] if self.combiner.in_order else list(values)

    def merge(self, a: State, b: State) -> State:
        """Two states into one; `a` comes first."""
        evaluator, code = self.thread.evaluator, self.thread.code
        if not self.combiner.in_order:
            return self.combiner.merge(evaluator, a, b)
        *first, has_first = a
        *second, has_second = b
        both = self.combiner.merge(evaluator, first, second)
        mixed = [code.select(has_first, one, other) for one, other in zip(both, second)]
        merged = [code.select(has_second, one, other) for one, other in zip(mixed, first)]
        return [*merged, code.arith("ori", has_first, has_second)]

    def merge_lanes(self, state: State, distances: Sequence[int]) -> State:
        """The first lane of each group has the combination of the group's states, in order; groups are lanes that differ by sums of the
        distances, which double. All lanes have it where the combiner commutes."""
        for distance in distances:
            state = self.merge(state, [self.thread.code.here(shuffled(x.value, distance)) for x in state])
        return state

    def finish(self, initial: State, total: State) -> State:
        """The results, from what they begin with and the state of all elements."""
        is_whole = self.combiner.kind == "sequential"  # it began with them
        state = total if is_whole else self.merge(self.from_memory(initial), total)
        return [self.combiner.finished(self.thread.evaluator, n, x) for n, x in zip(range(len(self.kinds)), state)]
