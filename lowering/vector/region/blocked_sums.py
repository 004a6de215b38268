"""Long sums of floats are made in blocks, which are added to one another, so that rounding errors do not grow with the
length (blocked summation: Higham, "The accuracy of floating point summation", 1993).

for i in 0..1000000:                   for b in 0..1000000 step 65536:
    s += x[i]                              t = -0.0
                         becomes           for c in b..b+65536 step 256:
                                               u = -0.0
                                               for i in c..c+256:
                                                   u += x[i]
                                               t += u
                                           s += t"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hlo.lowering.linalg.structured import FLOAT_SUMS
from hlo.lowering.vector.region.number import Number

if TYPE_CHECKING:
    from hlo.lowering.vector.region.accumulators import Accumulators

Carry = list[Number]

BLOCK = 256
"""Terms that are added to one another directly; blocks that are."""


class BlockedSums:
    """The loops of a stage's reductions."""

    def __init__(self, accumulators: Accumulators):
        self.accumulators = accumulators

    def loop(
        self,
        positions: range,
        body: Callable[[Number, Carry], Carry | None],
        carry: Sequence[Number],
        outermost: bool = False,
        terms: int = 1,
    ) -> Carry:
        """A loop in which each iteration adds so many terms to each sum that is carried."""
        emitter = self.accumulators.emitter
        if (
            not carry
            or not _block_trips(len(positions), terms)
            or not any(map(self._is_float_sum, self.accumulators.combiners))
        ):
            return emitter.loop(positions.start, positions.stop, positions.step, body, carry, outermost)

        def level(lower: int | Number, upper: int | Number, trips: int, carry: Sequence[Number]) -> Carry:
            block = _block_trips(trips, terms)
            if not block:
                return emitter.code.loop(
                    lower, upper, positions.step, lambda at, c: body(at, c) or [], carry, positions
                )
            stride, code = block * positions.step, emitter.code

            def one(at: Number, carry: Carry) -> Carry:
                end = code.arith("addi", at, code.index_constant(stride))
                end = code.arith("minsi", end, code.index_constant(upper) if isinstance(upper, int) else upper)
                return self._added(carry, level(at, end, block, self._begun(carry)))

            return code.loop(lower, upper, stride, one, carry, positions)

        return level(positions.start, positions.stop, len(positions), carry)

    def _is_float_sum(self, combiner: Any) -> bool:
        return combiner.kind == "op" and all(m.name in FLOAT_SUMS for m in combiner.merging)

    def _states(self, carry: Sequence[Number]) -> list[tuple[Any, list[list[Number]]]]:
        """By combiner: result, vector. Each combiner's are as many as the carry has room for."""
        return list(zip(self.accumulators.combiners, self.accumulators.unflatten(carry, self._vectors(carry))))

    def _vectors(self, carry: Sequence[Number]) -> int:
        """Accumulators of each result that has one for each vector."""
        own = [len(c.op.results) for c in self.accumulators.combiners if not self.accumulators.in_order(c)]
        others = sum(len(c.op.results) for c in self.accumulators.combiners) - sum(own)
        return (len(carry) - others) // sum(own)

    def _begun(self, carry: Sequence[Number]) -> Carry:
        """What a block starts with: sums with their neutral element, others with what is carried."""
        found: Carry = []
        evaluator = self.accumulators.emitter.evaluator
        for combiner, states in self._states(carry):
            for number, vectors in enumerate(states):
                neutral = combiner.neutral(evaluator, number) if self._is_float_sum(combiner) else None
                found += vectors if neutral is None else [evaluator.code.splat(neutral, v.width) for v in vectors]
        return found

    def _added(self, carry: Sequence[Number], block: Sequence[Number]) -> Carry:
        found: Carry = []
        for (combiner, before), (_, states) in zip(self._states(carry), self._states(block)):
            if not self._is_float_sum(combiner):
                found += [v for vectors in states for v in vectors]
                continue
            pairs = [
                combiner.merge(self.accumulators.emitter.evaluator, list(a), list(b))
                for a, b in zip(zip(*before), zip(*states))
            ]
            found += [v for vectors in zip(*pairs) for v in vectors]
        return found


def _block_trips(trips: int, terms: int) -> int:
    """Iterations that a block has, of a loop of so many; 0 for no blocks."""
    block = BLOCK
    if trips * terms <= 2 * block:
        return 0
    while block * BLOCK < trips * terms:
        block *= BLOCK
    found = max(block // terms, 1)
    return found if found < trips else 0
