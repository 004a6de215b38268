"""The loops that a stage's list has (`loop_list.py`): over single iterations, over vectors, over the steps of a tile; each with its
edges and what is left over, divided among threads, with long sums in blocks.

A loop is given the tile that it is in, which knows the positions of the loops around it and along which loops it goes, and what is carried from
one iteration to the next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from math import prod
from typing import Any

from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.vector.region.accumulators import Accumulators
from hlo.lowering.vector.region.blocked_sums import in_blocks
from hlo.lowering.vector.region.code import Code
from hlo.lowering.vector.region.memory import Base, Tile
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padding import Bound, begins_anywhere, dilated_loops
from hlo.lowering.vector.region.plan import Plan
from hlo.lowering.vector.region.runs import Run
from hlo.lowering.vector.region.unrolling import MANY_STEPS

Carry = list[Number]
Body = Callable[[Number, Carry], Carry]
"""Of one loop in code: from its position and what is carried to what is carried on."""
Inner = Callable[[Tile, Carry], Carry]
Loop = Callable[[Tile, Carry, Inner], Carry]

LEAST_OF_AGAIN = 32
"""The iterations of a loop for each that its last tile computes again."""


class Loops:
    """Of a stage, through an emitter (which holds code, memory, evaluator, result buffers)."""

    def __init__(self, emitter: Any, nest: Nest, plan: Plan):
        self.emitter = emitter
        self.stage = nest.stage
        self.plan = plan
        self.accumulators = Accumulators(emitter, nest, plan, nest.combiners)
        self.peeling = Peeling(nest.accesses.bounds, plan.peeled)
        self.bounds = nest.accesses.bounds
        taps = dilated_loops(self.bounds) if plan.phases else set()
        are_picked = isinstance(plan.lanes, Run)
        written_out = {d for d in self.stage.reduction if d in taps or are_picked}
        self.unrolled = set(self.stage.dims) if plan.all_unrolled else written_out

    @property
    def lanes(self) -> Dim:
        assert self.plan.lanes is not None, "this way of writing is for plans with lanes"
        return self.plan.lanes

    @property
    def stepped(self) -> Dim:
        assert self.plan.stepped is not None, "a plan with lanes has steps"
        return self.plan.stepped

    # ---- single iterations

    def over(self, dims: Sequence[Dim], terms: int = 1) -> list[Loop]:
        """A loop for each Dim. `terms`: what is inside of all adds so many to each sum that is carried."""
        return [partial(self.each, d, terms * prod(i.size for i in dims[n + 1 :])) for n, d in enumerate(dims)]

    def each(self, dim: Dim, terms: int, tile: Tile, carry: Carry, inner: Inner) -> Carry:
        """The iterations one after the other; those at the edges, where padding is read, are a loop of their own."""
        iteration = lambda at, carry: inner(tile.moved(dim, at), carry)
        if dim in self.unrolled:
            for n in range(dim.size):
                carry = iteration(self.emitter.code.index_constant(n), carry)
            return carry
        interior = self.peeling.interior(dim, tile.base)
        if len(interior) in (0, dim.size):
            return self.loop(range(dim.size), iteration, carry, not tile.base, terms)
        self.loop(interior, iteration, carry, not tile.base)
        self.peeling.edges(self.emitter.code, dim, interior, lambda at: iteration(at, []))
        return carry

    # ---- vectors

    def tiles(self, tile: Tile, carry: Carry, inner: Inner) -> Carry:
        """All of the lanes' loop."""
        if isinstance(self.lanes, Run):
            return self.runs(self.lanes, tile, carry, inner)
        return self.singles(tile, self.vectors(tile, carry, inner), inner)

    def vectors(self, tile: Tile, carry: Carry, inner: Inner) -> Carry:
        """Full vectors along the lanes' loop, then what is left over: as one tile, whose last vector is masked, or, on a target without masks,
        vector by vector, the last of which begins earlier where it may compute again what others have. Of many tiles the last
        one begins earlier, which needs no code of its own."""
        dim, width, size = self.lanes, self.plan.width, self.lanes.size
        constant, stride, left = self.emitter.code.index_constant, self.stride, self.lanes.size % self.stride
        main = size - left

        def part(count: int, at: Number, carry: Carry, tail: int = 0) -> Carry:
            along = {"stepped": dim, "steps": count} if self.plan.stepped is dim else {}
            return inner(tile.moved(dim, at, lanes=dim, width=width, tail=tail, **along), carry)

        whole = partial(part, self.plan.steps)
        if self.tiles_overlap:
            return self._overlapping(size, stride, whole, tile, carry)
        for one in self.peeling.parts(dim, main, stride, tile.base):
            is_longest = 2 * len(one) > main
            carry = self.loop(range(one.start, one.stop, stride), whole, carry, not tile.base and is_longest)
        if self.emitter.target.masks and left:
            return part(-(-left // width), constant(main), carry, left % width)
        end = size if self._fills_last else size - left % width
        vector = lambda at, carry: part(1, self._at_most(at, size - width), carry)
        return self.emitter.loop(range(main, end, width), vector, carry)

    def runs(self, run: Run, tile: Tile, carry: Carry, inner: Inner) -> Carry:
        """Whole rows of a run, as many as fill the vectors of a step; then those that are left."""
        width, size, rows = self.plan.width, run.outer.size, self.stride // run.row
        left, again = size % rows, -size % rows

        def part(steps: int, tail: int, at: Number, carry: Carry) -> Carry:
            along = {"lanes": run, "width": width, "stepped": run, "steps": steps, "tail": tail}
            return inner(tile.moved(run.outer, at, **along), carry)

        whole = partial(part, self.plan.steps, 0)
        if self._may_overlap(run.outer, rows, again):
            return self._overlapping(size, rows, whole, tile, carry)
        carry = self.loop(range(0, size - left, rows), whole, carry, not tile.base)
        if not left:
            return carry
        lanes = left * run.row
        return part(-(-lanes // width), lanes % width, self.emitter.code.index_constant(size - left), carry)

    def singles(self, tile: Tile, carry: Carry, inner: Inner) -> Carry:
        """What `vectors` leaves on a target without masks, element by element."""
        dim = self.lanes
        leaves_none = self.emitter.target.masks or self.tiles_overlap or self._fills_last
        left = 0 if leaves_none else dim.size % self.plan.width
        iteration = lambda at, carry: inner(tile.moved(dim, at), carry)
        return self.emitter.loop(range(dim.size - left, dim.size), iteration, carry)

    @property
    def stride(self) -> int:
        """How far a tile goes along the lanes' loop."""
        return self.plan.width * (self.plan.steps if self.plan.stepped is self.lanes else 1)

    # ---- steps

    def steps(self, count: int, tile: Tile, carry: Carry, inner: Inner) -> Carry:
        """A tile along the stepped loop: so many iterations at a time, then those that are left, by a tile that has fewer, or, where tiles may overlap, by one
        that begins earlier."""
        dim, size, left = self.stepped, self.stepped.size, self.stepped.size % count

        def part(count: int, at: Number, carry: Carry) -> Carry:
            return inner(tile.moved(dim, at, stepped=dim, steps=count), carry)

        whole = partial(part, count)
        if self._may_overlap(dim, count, count - left):
            return self._overlapping(size, count, whole, tile, carry)
        carry = self.loop(range(0, size - left, count), whole, carry, not tile.base, count)
        return part(left, self.emitter.code.index_constant(size - left), carry) if left else carry

    # ---- tiles that overlap

    @property
    def tiles_overlap(self) -> bool:
        """Whether the last tile along the lanes begins earlier."""
        again = -self.lanes.size % self.stride // self.plan.width * self.plan.width
        return self._may_overlap(self.lanes, self.stride, again)

    def _may_overlap(self, dim: Dim, stride: int, again: int) -> bool:
        """Whether the last tile along a loop may begin earlier: the iterations that are computed `again`, where the code of a remainder
        had none, must be few."""
        may_repeat = self._may_repeat(dim) and begins_anywhere(dim, self.bounds)
        least = max(MANY_STEPS * stride, LEAST_OF_AGAIN * again) if again else stride
        return may_repeat and dim.size % stride > 0 and dim.size >= least

    def _may_repeat(self, dim: Dim) -> bool:
        """Whether an iteration may be computed twice: results must not be where operands are, nor reductions over the loop."""
        return dim not in self.stage.reduction and not self.emitter.in_place

    @property
    def _fills_last(self) -> bool:
        """Whether, on a target without masks, the last vector begins earlier, so that no elements are left for scalars."""
        dim = self.lanes
        is_wide = dim.size >= self.plan.width
        return is_wide and begins_anywhere(dim, self.bounds) and self._may_repeat(dim) and not self.emitter.target.masks

    def _overlapping(self, size: int, stride: int, whole: Body, tile: Tile, carry: Carry) -> Carry:
        """Tiles of one size, the last of which begins earlier."""
        part = lambda at, carry: whole(self._at_most(at, size - stride), carry)
        return self.loop(range(0, size, stride), part, carry, not tile.base)

    def _at_most(self, at: Number, last: int) -> Number:
        """A position, or the last one where a tile may begin."""
        code = self.emitter.code
        if at.values is not None and (at.values[-1] <= last or len(at.values) == 1):
            return at if at.values[-1] <= last else code.index_constant(last)
        begin = code.arith("minsi", at, last)
        begin.values = range(last + 1)
        return begin

    # ---- loops in code

    def loop(
        self,
        positions: range,
        body: Body,
        carry: Carry,
        is_outermost: bool = False,
        terms: int = 1,
    ) -> Carry:
        """A loop. Each iteration adds so many terms to each sum that is carried: long sums are made in blocks."""
        if carry:
            return in_blocks(self.accumulators, positions, body, carry, terms)
        return self.emitter.loop(positions, body, carry, is_outermost)


# Loops whose first and last iterations may read padding: these are loops of their own, so that the others read without a test.


class Peeling:
    """`bounds`: of the reads that may fail; `peeled`: the loops that are cut. Inside of one loop's edges no other is
    cut: all is tested there."""

    def __init__(self, bounds: Sequence[Bound], peeled: Collection[Dim]):
        self.bounds = bounds
        self.peeled = peeled
        self.at_edge = False

    def interior(self, dim: Dim, base: Base) -> range:
        """The iterations of a loop in which no padding is read as far as that depends on it; all of a loop that is not cut here."""
        found = range(dim.size)
        if self.at_edge or dim not in self.peeled:
            return found
        for bound in self.bounds:
            if bound.position.coefficient(dim):
                inside = bound.inside(dim, lambda d: (d in base and base[d].values) or d.values)
                found = range(max(found.start, inside.start), min(found.stop, inside.stop))
        return found

    def edges(self, code: Code, dim: Dim, interior: range, body: Callable[[Number], Any]) -> None:
        """The iterations in front of the interior and behind it, as one loop."""
        before = interior.start

        def position(n: Number) -> Number:
            if n.values is not None and len(n.values) == 1:
                (known,) = n.values
                return code.index_constant(known if known < before else known + len(interior))
            moved = code.arith("addi", n, len(interior))
            at = code.select(code.compared("ult", n, before), n, moved) if before else moved
            at.values = range(0 if before else interior.stop, dim.size)
            return at

        self.at_edge = True
        code.loop(0, dim.size - len(interior), 1, lambda n, _: body(position(n)) or [])
        self.at_edge = False

    def parts(self, dim: Dim, main: int, stride: int, base: Base) -> list[range]:
        """The first `main` iterations of a loop over tiles as long as `stride`: tiles that may read padding at one end, those that do
        not, and those at the other end."""
        interior = self.interior(dim, base)
        first = min(-(-interior.start // stride) * stride, main)
        end = min(max(first, interior.stop // stride * stride), main)
        return [part for part in (range(first), range(first, end), range(end, main)) if len(part)] or [range(main)]
