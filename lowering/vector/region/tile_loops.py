"""The loops around the tiles of a stage: over scalars, along the vectorized loop, along the stepped one; with edges,
remainders and blocks of sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.vector.region.accumulators import Accumulators
from hlo.lowering.vector.region.blocked_sums import BlockedSums
from hlo.lowering.vector.region.memory import Tile
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padded_read import Base, Peeling
from hlo.lowering.vector.region.padding import dilated_loops
from hlo.lowering.vector.region.plan import Plan

Carry = list[Number]

LEAST_TILES, LEAST_OF_AGAIN = 8, 32
"""Tiles of a loop from which the last one may begin earlier, and the iterations for each that is computed again."""


class TileLoops:
    """Of a stage, through an emitter (which holds code, memory, evaluator, result buffers)."""

    def __init__(self, emitter: Any, nest: Nest, plan: Plan, accumulators: Accumulators):
        self.emitter = emitter
        self.stage = nest.stage
        self.plan = plan
        self.accesses = nest.accesses
        self.sums = BlockedSums(accumulators)
        self.peeling = Peeling(nest.accesses.bounds, plan.peeled)
        taps = dilated_loops(nest.accesses.bounds) if plan.phases else set()
        self.unrolled = set(self.stage.dims) if plan.all_unrolled else {d for d in self.stage.reduction if d in taps}

    @property
    def lanes(self) -> Dim:
        assert self.plan.lanes is not None, "this way of writing is for plans with lanes"
        return self.plan.lanes

    @property
    def stepped(self) -> Dim:
        assert self.plan.stepped is not None, "a plan with lanes has steps"
        return self.plan.stepped

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
        """Full vectors along the lanes' dimension, then the remainder: as one tile (if the target has masks), or as
        vectors, of which the last one begins earlier, where it may compute again what others have. Of many tiles the
        last one begins earlier, which needs no code of its own."""
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
            return self.stepwise(dim, stride, lambda at, _, c: full(at, c), carry, not base, overlaps=True)
        for part in self.peeling.parts(dim, main, stride, base):
            positions = range(part.start, part.stop, stride)
            carry = self.sums.loop(positions, full, carry, not base and 2 * len(part) > main)
        left = dim.size - main
        if self.emitter.target.masks and left:
            count = -(-left // plan.width) if own else steps
            at = self.emitter.code.index_constant(main)
            return body(tile(at, count, left % plan.width), list(carry)) or []
        end = dim.size if self.fills_last else main + left // plan.width * plan.width
        vector = lambda at, c: body(tile(self.at_most(at, dim.size - plan.width), 1 if own else steps, 0), c) or []
        return self.emitter.loop(main, end, plan.width, vector, carry)

    def at_most(self, at: Number, last: int) -> Number:
        """A position, or the last one where a tile may begin."""
        code = self.emitter.code
        if at.values is not None and (at.values[-1] <= last or len(at.values) == 1):
            return at if at.values[-1] <= last else code.index_constant(last)
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
        """Whether the last tile along a loop of this size may begin earlier: the iterations that are computed `again`,
        where the code of a remainder had none, must be few."""
        may_repeat = self.may_repeat and not self.accesses.bounds
        return may_repeat and size % stride > 0 and size >= max(LEAST_TILES * stride, LEAST_OF_AGAIN * again)

    @property
    def may_repeat(self) -> bool:
        """Whether an element may be computed twice: results must not be where operands are, nor reductions over the lanes."""
        return self.lanes not in self.stage.reduction and not self.emitter.in_place

    @property
    def fills_last(self) -> bool:
        """Whether, on a target without masks, the last vector begins earlier, so that no elements are left for scalars."""
        begins_anywhere = not any(bound.position.coefficient(self.lanes) for bound in self.accesses.bounds)
        return (
            not self.emitter.target.masks and self.may_repeat and begins_anywhere and self.lanes.size >= self.plan.width
        )

    def leftover(
        self,
        body: Callable[[Tile, Carry], Carry | None],
        base: Base,
        carry: Sequence[Number] = (),
        steps: int = 1,
    ) -> Carry:
        """What `along_lanes` leaves: single elements, on a target without masks."""
        dim = self.lanes
        leaves_none = self.emitter.target.masks or self.overlaps or self.fills_last
        start = dim.size if leaves_none else dim.size // self.plan.width * self.plan.width
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

    def moved(self, tile: Tile, at: Number, steps: int) -> Tile:
        """The tile of so many steps from an index of the stepped loop on."""
        return replace(tile, base={**tile.base, self.stepped: at}, steps=steps, memo={})

    def in_steps(
        self,
        tile: Tile,
        dim: Dim,
        steps: int,
        body: Callable[[Tile, Carry], Carry | None],
        carry: Sequence[Number] = (),
    ) -> Carry:
        """A tile along a whole loop: so many of its iterations at a time, then those that are left."""

        def part(at: Number, count: int, carry: Carry) -> Carry | None:
            return body(replace(tile, base={**tile.base, dim: at}, stepped=dim, steps=count, memo={}), carry)

        return self.stepwise(dim, steps, part, carry)

    def stepwise(
        self,
        dim: Dim,
        step: int,
        body: Callable[[Number, int, Carry], Carry | None],
        carry: Sequence[Number] = (),
        outermost: bool = False,
        overlaps: bool = False,
    ) -> Carry:
        """So many iterations of a loop at a time, then those that are left: by a step that has fewer, or, where steps may overlap, one that
        begins earlier and needs no code of its own."""
        code, size, main = self.emitter.code, dim.size, dim.size // step * step
        if overlaps:
            last = size - step
            whole = lambda at, carry: body(self.at_most(at, last), step, carry) or []
            return self.emitter.loop(0, size, step, whole, carry, outermost)
        carry = self.sums.loop(range(0, main, step), lambda at, c: body(at, step, c) or [], carry, outermost, step)
        return body(code.index_constant(main), size - main, list(carry)) or [] if size > main else list(carry)
