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
from hlo.lowering.gpu.threads import WARP, combine_lanes, each, equals, identity, shared_array, where
from hlo.lowering.linalg.loops import for_loop, index, within

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
        self.launch, self.values, self.shape, self.nest = launch, values, launch.shape, launch.space
        self.combiner = launch.combiner.bound(values)
        operands = [
            v if v in launch.skipped else as_indexed(values.get(v, v), one)
            for v, one in zip(launch.operands, self.nest.maps)
        ]
        self.element = (Parts if launch.is_last else Element)(launch.op, self.nest, operands, values)
        self.results = with_last(self.nest.parallel, self.shape.inner)
        self.thread = identity("gpu.thread_id")
        self.lane, self.warp = (f(self.thread, index(WARP)) for f in (arith.remui, arith.divui))
        self.shared: list[ir.Value] = []
        if self.shape.warps > 1:
            kinds = [v.type for v in self.combiner.start()]
            size = [self.shape.warps, self.shape.tile * self.shape.states]
            self.shared = [shared_array(size, kind) for kind in kinds]

    def emit(self) -> None:
        tiles = self.shape.tiles * self.shape.parts
        with each(identity("gpu.block_id"), tiles, self.launch.grid.blocks) as item:
            self._tile(item)

    def _tile(self, number: ir.Value) -> None:
        shape = self.shape
        self.part: ir.Value | None = None
        tile = number
        if shape.parts > 1:
            self.part, tile = delinearized(number, [shape.parts, shape.tiles])
        self.first = arith.muli(tile, index(shape.tile))
        along, slot = self._position_in_block()
        member = arith.addi(arith.muli(self.warp, index(shape.lanes)), along) if shape.warps > 1 else along
        result = arith.addi(self.first, slot)
        inside = self._inside(result)
        self._set_result(result)
        states = self._own_part(member, inside)
        distance = WARP // shape.lanes if shape.is_column else 1  # of lanes with one result
        distances = [distance * n for n in (1, 2, 4, 8, 16) if n < shape.lanes]
        states = [combine_lanes(self.combiner, state, distances) for state in states]
        is_first = [equals(along, 0)] if shape.lanes > 1 else []
        if shape.warps == 1:
            with where(*inside, *is_first):
                self._write(states)
        else:
            self._through_shared_memory(states, is_first, slot)

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

    def _inside(self, result: ir.Value) -> list[ir.Value]:
        return [within(result, self.shape.results)] if self.shape.results % self.shape.tile else []

    def _set_result(self, result: ir.Value, offset: ir.Value | None = None) -> None:
        """The indices become those of a result (of the first of neighbours, `offset` further)."""
        self.element.go_to(self.results, result, self.shape.states)
        if self.shape.states > 1 and offset is not None:
            inner = self.results[-1]
            self.element.coordinates[inner] = arith.addi(self.element.coordinates[inner], offset)

    # This thread's part

    def _own_part(self, member: ir.Value, inside: list[ir.Value]) -> list[State]:
        """What its elements combine to, by neighbouring result."""
        first, stop, step = self._range(member)
        if inside:
            stop = arith.select(inside[0], stop, first)
        states = [self.combiner.start() for _ in range(self.shape.states)]
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
        if not self.combiner.in_order or shape.sharing == 1:
            return arith.addi(first, member), stop, shape.sharing
        own = index(shape.iterations)
        begin = arith.addi(first, arith.muli(member, own))
        return begin, arith.minui(arith.addi(begin, own), stop), 1

    def _loop(
        self, first: ir.Value, stop: ir.Value, step: int, unroll: int, states: list[State]
    ) -> tuple[ir.Value, list[State]]:
        """`unroll` steps in an iteration, as long as there are so many. All loads of vectors come first."""
        count, element, shape = len(states[0]), self.element, self.shape
        last = arith.subi(stop, index(step * (unroll - 1))) if unroll > 1 else stop
        dimensions = with_last(self.nest.reduction, shape.inner)

        def iteration(position: ir.Value, _: ir.Value, *values: ir.Value) -> list[ir.Value]:
            steps = []
            for number in range(unroll):
                at = arith.addi(position, index(number * step)) if number else position
                element.go_to(dimensions, at, 1 if shape.is_column else shape.width)
                is_vector = shape.width > 1 and shape.inner is not None
                lanes = vectors_at(element, shape.width, shape.inner) if is_vector else None  # type: ignore[arg-type]
                steps.append((list(element.coordinates), lanes))
            states = _grouped(values, count)
            for coordinates, lanes in steps:
                element.coordinates[:] = coordinates
                self._add_step(lanes, states)
            after = arith.addi(position, index(step * unroll))
            return [after, *(v for state in states for v in state)]

        start = [first, *(v for state in states for v in state)]
        position, *now = for_loop(first, last, iteration, start, step * unroll)
        return position, _grouped(now, count)

    def _add_step(self, lanes: Lanes | None, states: list[State]) -> None:
        """Combines the states with the neighbours at the element's coordinates: each with its own in columns, the first one with all in rows."""
        combiner = self.combiner
        for lane in each_lane(self.element, self.shape.inner, self.shape.width):
            state = combiner.of_terms(combiner.terms(self.element, lanes(lane) if lanes else ()))
            which = lane if self.shape.is_column else 0
            states[which] = combiner.combine(states[which], state)

    # Results

    def _through_shared_memory(self, states: list[State], is_first: list[ir.Value], slot: ir.Value) -> None:
        """The warps' states, then a thread for each result of the tile."""
        shape, width = self.shape, index(self.shape.states)
        with where(*is_first):
            for number, state in enumerate(states):
                column = arith.addi(arith.muli(slot, index(len(states))), index(number))
                for value, array in zip(state, self.shared):
                    memref.store(value, array, [self.warp, column])
        ir.Operation.create("gpu.barrier")
        with each(self.thread, shape.tile * shape.states, THREADS) as own:
            result = arith.addi(self.first, arith.divui(own, width))
            with where(*self._inside(result)):
                offset = arith.remui(own, width)
                state, *others = [[memref.load(a, [index(n), own]) for a in self.shared] for n in range(shape.warps)]
                for other in others:
                    state = self.combiner.combine(state, other)
                self._set_result(result, offset)
                for number, value in enumerate(self._finished(state)):
                    self._store(number, [value])
        ir.Operation.create("gpu.barrier")

    def _write(self, states: list[State]) -> None:
        """What this thread has, at its index and the adjacent ones."""
        columns = [self._finished(states[lane]) for lane in each_lane(self.element, self.shape.inner, len(states))]
        for number, values in enumerate(zip(*columns)):
            self._store(number, list(values))

    def _finished(self, state: State) -> State:
        if self.part is not None:
            return state[: len(self.combiner.kinds)]
        initial = [self._initial(n, output) for output, n in enumerate(self.element.outputs)]
        return self.combiner.finish(initial, state)

    def _initial(self, number: int, output: int) -> ir.Value:
        """What an output holds, or would; `number` is its operand's."""
        fill = self.launch.fills.get(output)
        if fill is None:
            return self.element.load(number)
        operands = [self.values.get(v, v) for v in fill.operands]
        element = Element(fill, nest_of(fill), operands, self.values)
        shape, indices = ir.MemRefType(fill.operands[len(operands) - 1].type).shape, self.element.indices(number)
        element.coordinates[:] = indices if len(indices) == len(shape) else delinearized(indices[0], shape)
        return element.body([None])[0]

    def _store(self, number: int, values: list[ir.Value]) -> None:
        """Neighbouring results of one output, or parts of them."""
        element, inner, parallel = self.element, self.shape.inner, self.nest.parallel
        if self.part is None:
            store_lanes(element, self.nest.inputs + number, values, inner)
            return
        sizes = (self.shape.parts, *(self.nest.sizes[d] for d in parallel))
        space = Nest(sizes, tuple(range(len(sizes))), (ir.AffineMap.get_identity(len(sizes)),), 0)
        target = Element(element.op, space, [self.values[self.launch.partials[number]]], {})
        target.coordinates[:] = [self.part, *(element.coordinates[d] for d in parallel)]
        store_lanes(target, 0, values, parallel.index(inner) + 1 if len(values) > 1 else None)


def _grouped(values: Sequence[ir.Value], count: int) -> list[State]:
    return [list(values[n : n + count]) for n in range(0, len(values), count)]
