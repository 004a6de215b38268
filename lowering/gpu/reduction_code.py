"""The code of a reduction's launch: a thread's part of the elements, then what threads with one result have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.accesses import Nest, as_indexed, nest_of
from hlo.lowering.gpu.contraction.problem import with_last
from hlo.lowering.gpu.element import (
    Element,
    Values,
    delinearized,
    each_lane,
    store_lanes,
    vectors_at,
)
from hlo.lowering.gpu.grid import THREADS
from hlo.lowering.gpu.threads import WARP, each, equals, fold_lanes, identity, shared_array, where
from hlo.lowering.linalg.loops import add, for_loop, index, within

if TYPE_CHECKING:
    from hlo.lowering.gpu.reductions import Reduction

State = list[ir.Value]
Lanes = Callable[[int], list[ir.Value | None]]


class Parts(Element):
    """Elements of the second launch: parts, as they are."""

    def is_read(self, number: int) -> bool:
        return True

    def computed(self, wanted: Sequence[ir.Value], loaded: Sequence[ir.Value | None] = ()) -> list[ir.Value]:
        return [(loaded[n] if loaded else None) or self.load(n) for n in range(self.nest.inputs)]


class Emission:
    """The code of a launch."""

    def __init__(self, launch: Reduction, values: Values):
        self.launch, self.values, self.shape, self.fold = launch, values, launch.shape, launch.fold.bound(values)
        self.nest, kind = launch.space, Parts if launch.is_last else Element
        operands = [
            v if v in launch.skipped else as_indexed(values.get(v, v), one)
            for v, one in zip(launch.operands, self.nest.maps)
        ]
        self.element = kind(launch.op, self.nest, operands, values)
        self.results = with_last(self.nest.parallel, self.shape.inner)
        thread = identity("gpu.thread_id")
        self.thread = thread
        self.lane, self.warp = arith.remui(thread, index(WARP)), arith.divui(thread, index(WARP))
        self.shared = self._shared_arrays() if self.shape.warps > 1 else []

    def _shared_arrays(self) -> list[ir.Value]:
        kinds = [v.type for v in self.fold.start()]
        return [shared_array([self.shape.warps, self.shape.tile * self.shape.states], kind) for kind in kinds]

    def emit(self) -> None:
        tiles = self.shape.tiles * self.shape.parts
        with each(identity("gpu.block_id"), tiles, self.launch.grid.blocks) as item:
            self._tile(item)

    def _tile(self, number: ir.Value) -> None:
        shape = self.shape
        part, tile = delinearized(number, [shape.parts, shape.tiles]) if shape.parts > 1 else (None, number)
        self.first = arith.muli(tile, index(shape.tile))
        self.part = part
        along, slot = self._position_in_block()
        member = self._with_warp(along)
        result = arith.addi(self.first, slot)
        inside = self._inside(result)
        self._set_result(result)
        states = self._own_part(member, inside)
        states = [fold_lanes(self.fold, state, self._distances()) for state in states]
        if shape.warps == 1:
            with where(*inside, *self._is_first(along)):
                self._write(states)
        else:
            self._through_shared_memory(states, along, slot)

    def _position_in_block(self) -> tuple[ir.Value, ir.Value]:
        """Which of the lanes with one result this is, and the number of the result in the tile."""
        shape, across = self.shape, index(WARP // self.shape.lanes)
        if shape.lanes == WARP:
            return self.lane, index(0) if shape.warps > 1 else self.warp
        lanes = index(shape.lanes)
        if shape.is_column:
            along, slot = arith.divui(self.lane, across), arith.remui(self.lane, across)
        else:
            along, slot = arith.remui(self.lane, lanes), arith.divui(self.lane, lanes)
        return along, slot if shape.warps > 1 else arith.addi(arith.muli(self.warp, across), slot)

    def _with_warp(self, along: ir.Value) -> ir.Value:
        """The number among all threads with one result."""
        if self.shape.warps == 1:
            return along
        return arith.addi(arith.muli(self.warp, index(self.shape.lanes)), along)

    def _distances(self) -> list[int]:
        """Of lanes with one result."""
        first = WARP // self.shape.lanes if self.shape.is_column else 1
        return [first * n for n in (1, 2, 4, 8, 16) if n < self.shape.lanes]

    def _inside(self, result: ir.Value) -> list[ir.Value]:
        if self.shape.results % self.shape.tile == 0:
            return []
        return [within(result, self.shape.results)]

    def _is_first(self, along: ir.Value) -> list[ir.Value]:
        return [equals(along, 0)] if self.shape.lanes > 1 else []

    def _set_result(self, result: ir.Value, offset: ir.Value | None = None) -> None:
        """The indices become those of a result (of the first of neighbours, `offset` further)."""
        self.element.go_to(self.results, result, self.shape.states)
        if self.shape.states > 1 and offset is not None:
            inner = self.results[-1]
            self.element.place[inner] = arith.addi(self.element.place[inner], offset)

    # This thread's part

    def _own_part(self, member: ir.Value, inside: list[ir.Value]) -> list[State]:
        """What its elements fold to, by neighbouring result."""
        first, stop, step = self._range(member)
        if inside:
            stop = arith.select(inside[0], stop, first)
        states = [self.fold.start() for _ in range(self.shape.states)]
        unroll = self.shape.unroll
        position, states = self._loop(first, stop, step, unroll, states)
        if unroll > 1 and not self.shape.is_even:
            _, states = self._loop(position, stop, step, 1, states)
        return states

    def _range(self, member: ir.Value) -> tuple[ir.Value, ir.Value, int]:
        """First step, the one after the last, distance: adjacent, or one behind the other if order counts."""
        shape = self.shape
        length, steps = index(shape.length), index(shape.steps)
        first = arith.muli(self.part, length) if self.part is not None else index(0)
        stop = arith.minui(arith.addi(first, length), steps) if self.part is not None else steps
        if not self.fold.in_order or shape.sharing == 1:
            return arith.addi(first, member), stop, shape.sharing
        own = index(shape.turns)
        begin = arith.addi(first, arith.muli(member, own))
        return begin, arith.minui(arith.addi(begin, own), stop), 1

    def _loop(
        self, first: ir.Value, stop: ir.Value, step: int, unroll: int, states: list[State]
    ) -> tuple[ir.Value, list[State]]:
        """`unroll` steps in an iteration, as long as there are so many."""
        count = len(states[0])
        last = arith.subi(stop, index(step * (unroll - 1))) if unroll > 1 else stop

        def iteration(position: ir.Value, _: ir.Value, *values: ir.Value) -> list[ir.Value]:
            states = self._folded(position, step, unroll, _grouped(values, count))
            after = arith.addi(position, index(step * unroll))
            return [after, *(v for state in states for v in state)]

        start = [first, *(v for state in states for v in state)]
        position, *now = for_loop(first, last, iteration, start, step * unroll)
        return position, _grouped(now, count)

    def _folded(self, position: ir.Value, step: int, unroll: int, states: list[State]) -> list[State]:
        """All loads of vectors come first."""
        steps = []
        for iteration in range(unroll):
            at = arith.addi(position, index(iteration * step)) if iteration else position
            self._set_step(at)
            steps.append((list(self.element.place), self._vectors()))
        for place, lanes in steps:
            states = self._one_step(place, lanes, states)
        return states

    def _vectors(self) -> Lanes | None:
        shape = self.shape
        if shape.width == 1 or shape.inner is None:
            return None
        return vectors_at(self.element, shape.width, shape.inner)

    def _set_step(self, position: ir.Value) -> None:
        dimensions = with_last(self.nest.reduction, self.shape.inner)
        self.element.go_to(dimensions, position, 1 if self.shape.is_column else self.shape.width)

    def _one_step(self, place: list[ir.Value], lanes: Lanes | None, states: list[State]) -> list[State]:
        element, shape, fold = self.element, self.shape, self.fold
        found = list(states)
        for lane in range(shape.width):
            element.place[:] = place
            if lane and shape.inner is not None:
                element.place[shape.inner] = add(place[shape.inner], lane)
            state = fold.of_terms(fold.terms(element, lanes(lane) if lanes else ()))
            which = lane if shape.is_column else 0
            found[which] = fold.combine(found[which], state)
        element.place[:] = place
        return found

    # Results

    def _through_shared_memory(self, states: list[State], along: ir.Value, slot: ir.Value) -> None:
        """The warps' states, then a thread for each result of the tile."""
        shape, width = self.shape, index(self.shape.states)
        across = shape.tile * shape.states
        with where(*self._is_first(along)):
            self._combine_warps(states, slot)
        ir.Operation.create("gpu.barrier")
        with each(self.thread, across, THREADS) as own:
            result = arith.addi(self.first, arith.divui(own, width))
            with where(*self._inside(result)):
                self._write_shared(own, result, arith.remui(own, width))
        ir.Operation.create("gpu.barrier")

    def _combine_warps(self, states: list[State], slot: ir.Value) -> None:
        for number, state in enumerate(states):
            place = arith.addi(arith.muli(slot, index(len(states))), index(number))
            for value, array in zip(state, self.shared):
                memref.store(value, array, [self.warp, place])

    def _write_shared(self, own: ir.Value, result: ir.Value, offset: ir.Value) -> None:
        rows = [[memref.load(a, [index(warp), own]) for a in self.shared] for warp in range(self.shape.warps)]
        state, *others = rows
        for other in others:
            state = self.fold.combine(state, other)
        self._set_result(result, offset)
        for number, value in enumerate(self._finished(state)):
            self._store(number, [value])

    def _write(self, states: list[State]) -> None:
        """What this thread has, at its index and the adjacent ones."""
        inner = self.shape.inner
        columns = [self._finished(states[lane]) for lane in each_lane(self.element, inner, len(states))]
        for number, values in enumerate(zip(*columns)):
            self._store(number, list(values))

    def _finished(self, state: State) -> State:
        if self.part is not None:
            return state[: len(self.fold.kinds)]
        element = self.element
        initial = [self._initial(n, output) for output, n in enumerate(element.outputs)]
        return self.fold.finish(initial, state)

    def _initial(self, number: int, output: int) -> ir.Value:
        """What an output holds, or would; `number` is its operand's."""
        fill = self.launch.fills.get(output)
        if fill is None:
            return self.element.load(number)
        operands = [self.values.get(v, v) for v in fill.operands]
        element = Element(fill, nest_of(fill), operands, self.values)
        shape, indices = ir.MemRefType(fill.operands[len(operands) - 1].type).shape, self.element.indices(number)
        element.place[:] = indices if len(indices) == len(shape) else delinearized(indices[0], shape)
        return element.body([None])[0]

    def _store(self, number: int, values: list[ir.Value]) -> None:
        """Neighbouring results of one output, or parts of them."""
        element, inner = self.element, self.shape.inner
        if self.part is None:
            store_lanes(element, self.nest.inputs + number, values, inner)
            return
        sizes = (self.shape.parts, *(self.nest.sizes[d] for d in self.nest.parallel))
        whole = ir.AffineMap.get_identity(len(sizes))
        target = Element(element.op, Nest(sizes, tuple(range(len(sizes))), (whole,), 0), [self._partial(number)], {})
        target.place[:] = [self.part, *(element.place[d] for d in self.nest.parallel)]
        store_lanes(target, 0, values, self.nest.parallel.index(inner) + 1 if len(values) > 1 else None)

    def _partial(self, number: int) -> ir.Value:
        return self.values[self.launch.partials[number]]


def _grouped(values: Sequence[ir.Value], count: int) -> list[State]:
    return [list(values[n : n + count]) for n in range(0, len(values), count)]
