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

from collections.abc import Callable
from typing import TYPE_CHECKING

from hlo.lowering.vector.region.number import Number

if TYPE_CHECKING:
    from hlo.lowering.vector.region.accumulators import Accumulators

Carry = list[Number]

BLOCK = 256
"""Terms that are added to one another directly; blocks that are."""


def in_blocks(
    accumulators: Accumulators, positions: range, body: Callable[[Number, Carry], Carry], carry: Carry, terms: int
) -> Carry:
    """A loop of a stage's reductions, in which each iteration adds so many terms to each sum that is carried."""
    code = accumulators.emitter.code
    has_sums = any(combiner.is_float_sum for combiner in accumulators.combiners)

    def level(lower: int | Number, upper: int | Number, trips: int, carry: Carry) -> Carry:
        block = _block_trips(trips, terms) if has_sums else 0
        if not block:
            return code.loop(lower, upper, positions.step, body, carry, positions)
        stride = block * positions.step

        def one(at: Number, carry: Carry) -> Carry:
            end = code.arith("minsi", code.arith("addi", at, stride), upper)
            return accumulators.added(carry, level(at, end, block, accumulators.begun(carry)))

        return code.loop(lower, upper, stride, one, carry, positions)

    return level(positions.start, positions.stop, len(positions), carry)


def _block_trips(trips: int, terms: int) -> int:
    """Iterations that a block has, of a loop of so many; 0 for no blocks."""
    block = BLOCK
    if trips * terms <= 2 * block:
        return 0
    while block * BLOCK < trips * terms:
        block *= BLOCK
    found = max(block // terms, 1)
    return found if found < trips else 0
