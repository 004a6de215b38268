"""The code of a reduction's launches: a thread's part of the elements, then what threads with one result have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlir import ir

from hlo.lowering.gpu.grid import THREADS, Launch, counted
from hlo.lowering.gpu.region.partial_results import PartialResults, State, combiners_of, kinds_of
from hlo.lowering.gpu.region.reductions import Shape, shape_of
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.gpu.region.walk import Walk, Walks, extent, sizes_of, walks_of
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.iteration import Affine, Dim, flatten
from hlo.lowering.memory.storage import stored_element
from hlo.lowering.vector.region.combine import Combiner
from hlo.lowering.vector.region.memory import Buffer, Tile, number_at
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.padded_read import Base
from hlo.lowering.vector.target import Target

States = list[list[State]]
"""By adjacent result, then by reduction."""


@dataclass(frozen=True)
class Reduction:
    """One launch. `workspace`: what its partial results are kept in, by number of a state, of (part, result) each: written, or read if
    `is_last`."""

    nest: Nest
    combiners: Sequence[Combiner]
    shape: Shape
    workspace: tuple[ir.Value, ...] = ()
    is_last: bool = False

    def launch(self) -> Launch:
        shape = self.shape
        reduced, results = sizes_of(self.nest.stage.reduction), sizes_of(self.nest.stage.parallel)
        reduced = str(shape.steps) if self.is_last else reduced or "1"
        what = f"{reduced} {'parts' if self.is_last else 'elements'} to {f'each of {results}' if results else 'one'}"
        neighbours = f", {shape.width} neighbours at once" if shape.width > 1 else ""
        of = f"{shape.width} neighbouring results" if shape.states > 1 else f"a result{neighbours}"
        parts = f", in {shape.parts} parts" if shape.parts > 1 else ""
        decision = f"{what}: {counted(shape.sharing, 'thread')} for {of}{parts}"
        return Launch(shape.grid, decision, lambda thread: Emission(self, thread).emit())


def reduction_launches(nest: Nest, target: Target, allocate: object) -> list[Launch]:
    """Those of a nest whose results are reductions, and what is computed from them at the same index. `allocate`: an array of the code function, of a
    number of elements of a type."""
    stage, combiners = nest.stage, combiners_of(nest.stage.generics)
    orders = {c.kind for c in combiners}
    order = "sequential" if "sequential" in orders else "monoid" if "monoid" in orders else "op"
    shape = shape_of(stage.parallel, stage.reduction, walks_of(nest), order, target)
    whole = Reduction(nest, combiners, shape)
    if shape.parts == 1:
        return [whole.launch()]
    kinds = [stored_element(kind) for c in combiners for kind in kinds_of(c)]
    total = extent(stage.parallel)
    workspace = tuple(allocate(shape.parts * total, kind) for kind in kinds)  # type: ignore[operator]
    part = Dim(shape.parts)
    position = _place(part, shape.parallel)
    inner = position.contiguous_loop([part, *shape.parallel])
    walk = [Walk(None, position, position, kind, total * shape.parts, inner) for kind in kinds]
    last = shape_of(shape.parallel, [part], Walks(walk, (), frozenset()), order, target)
    last = replace(last, parts=1, length=last.steps)
    return [
        replace(whole, workspace=workspace).launch(),
        Reduction(nest, combiners, last, workspace, True).launch(),
    ]


class Emission:
    """The code of a launch."""

    def __init__(self, launch: Reduction, thread: Thread):
        self.launch, self.thread, self.shape, self.nest = launch, thread, launch.shape, launch.nest
        self.code = thread.code
        self.reductions = [PartialResults(c, thread, self.nest.index) for c in launch.combiners]
        self.own = thread.identity("gpu.thread_id")
        self.warp, self.lane = self.code.divided(self.own, WARP)
        self.shared: list[Buffer] = []
        if self.shape.warps > 1:
            flag = ir.IntegerType.get_signless(1)
            kinds = [k for r in self.reductions for k in (*r.kinds, *([flag] if r.combiner.in_order else []))]
            self.width = self.shape.tile * self.shape.states
            size = self.shape.warps * self.width
            self.shared = [Buffer(thread.shared([size], k), (size,), k, stored_element(k)) for k in kinds]

    def emit(self) -> None:
        tiles = self.shape.tiles * self.shape.parts
        self.thread.loop(self.thread.identity("gpu.block_id"), tiles, self.shape.grid.blocks, self._tile)

    def _tile(self, number: Number) -> None:
        shape, code = self.shape, self.code
        self.part: Number | None = None
        tile = number
        if shape.parts > 1:
            self.part, tile = code.divided(number, shape.tiles)
        self.first = code.product(tile, shape.tile)
        along, slot = self._position_in_block()
        member = code.sum(code.product(self.warp, shape.lanes), along) if shape.warps > 1 else along
        result, inside = self._result(code.sum(self.first, slot))
        states = self._own_part(member, result)
        distance = WARP // shape.lanes if shape.is_column else 1  # of lanes with one result
        distances = [distance * n for n in (1, 2, 4, 8, 16) if n < shape.lanes]
        states = [[r.merge_lanes(s, distances) for r, s in zip(self.reductions, state)] for state in states]
        is_first = [code.compared("eq", along, code.index_constant(0))] if shape.lanes > 1 else []
        if shape.warps == 1:
            self._write(self._result_tile(result), result, states, [*inside, *is_first])
        else:
            self._through_shared_memory(states, is_first, slot)

    def _position_in_block(self) -> tuple[Number, Number]:
        """Which of the lanes with one result this is, and the number of the result in the tile."""
        shape, code = self.shape, self.code
        across = WARP // shape.lanes
        if shape.lanes == WARP:
            return self.lane, code.index_constant(0) if shape.warps > 1 else self.warp
        if shape.is_column:
            along, slot = code.divided(self.lane, across)
        else:
            slot, along = code.divided(self.lane, shape.lanes)
        return along, slot if shape.warps > 1 else code.sum(code.product(self.warp, across), slot)

    def _result(self, number: Number) -> tuple[Number, list[Number]]:
        """A result (or neighbouring ones) that there is, and the check that it is this thread's."""
        if self.shape.results % self.shape.tile == 0:
            return number, []
        check = self.code.below(number, self.shape.results)
        return self.code.clamped(number, self.shape.results - 1), [check]

    def _result_tile(self, result: Number) -> Tile:
        shape = self.shape
        base = self.code.coordinates(result, shape.parallel, shape.states)
        return Tile(base, stepped=shape.inner if shape.is_column else None, steps=shape.states)

    # This thread's part

    def _own_part(self, member: Number, result: Number) -> States:
        """What its elements combine to."""
        first, stop, step = self._range(member)
        tile = self._result_tile(result)
        if any(r.combiner.kind == "sequential" for r in self.reductions):
            states = self._initial(tile)
        else:
            states = [[r.start() for r in self.reductions] for _ in range(self.shape.states)]
        unroll = self.shape.unroll
        position, states = self._loop(first, stop, step, unroll, tile, states)
        if unroll > 1 and not self.shape.is_even:
            _, states = self._loop(position, stop, step, 1, tile, states)
        return states

    def _range(self, member: Number) -> tuple[Number, Number, int]:
        """First step, the one after the last, distance: adjacent, or one behind the other if order counts."""
        shape, code = self.shape, self.code
        first, stop = code.index_constant(0), code.index_constant(shape.steps)
        if self.part is not None:
            first = code.product(self.part, shape.length)
            stop = code.clamped(code.sum(first, code.index_constant(shape.length)), shape.steps)
        if shape.sharing == 1 or not any(r.combiner.in_order for r in self.reductions):
            return code.sum(first, member), stop, shape.sharing
        begin = code.sum(first, code.product(member, shape.iterations))
        return begin, code.arith("minui", code.sum(begin, code.index_constant(shape.iterations)), stop), 1

    def _loop(
        self, first: Number, stop: Number, step: int, unroll: int, tile: Tile, states: States
    ) -> tuple[Number, States]:
        """`unroll` steps in an iteration, as long as there are so many. All inputs of vectors come first."""
        shape, code = self.shape, self.code
        last = code.arith("subi", stop, code.index_constant(step * (unroll - 1))) if unroll > 1 else stop

        def iteration(position: Number, carried: list[Number]) -> list[Number]:
            steps = []
            for number in range(unroll):
                at = code.sum(position, code.index_constant(number * step)) if number else position
                one = self._element_tile(tile, at)
                steps.append((one, self._inputs(one, at, tile)))
            states = self._grouped(carried[1:])
            for one, inputs in steps:
                for lane in range(shape.width):
                    which = lane if shape.is_column else 0
                    added = zip(self.reductions, states[which], inputs)
                    states[which] = [self._added(r, s, one, i, lane) for r, s, i in added]
            return [code.sum(position, code.index_constant(step * unroll)), *_flat(states)]

        position, *now = code.loop(first, last, step * unroll, iteration, [first, *_flat(states)])
        return position, self._grouped(now)

    def _element_tile(self, tile: Tile, at: Number) -> Tile:
        """The tile of the results with an iteration of the loops that are reduced: one for each of neighbouring results, or neighbours for one."""
        shape = self.shape
        base = {**tile.base, **self.code.coordinates(at, shape.reduction, 1 if shape.is_column else shape.width)}
        return Tile(base, stepped=shape.inner, steps=shape.width)

    def _inputs(self, one: Tile, at: Number, tile: Tile) -> list[list[list[Number]]]:
        """By reduction, those of its body; or parts."""
        if not self.launch.is_last:
            return [r.inputs(one) for r in self.reductions]
        (part,) = self.shape.reduction
        place = _place(part, self.shape.parallel)
        loaded = iter([self.thread.memory.load(b, place, one) for b in self._parts])
        return [[next(loaded) for _ in r.kinds] for r in self.reductions]

    def _added(self, r: PartialResults, state: State, tile: Tile, inputs: list[list[Number]], step: int) -> State:
        if not self.launch.is_last:
            return r.add(state, tile, inputs, step)
        return r.merge(state, r.from_memory([number_at(numbers, step) for numbers in inputs]))

    def _grouped(self, numbers: Sequence[Number]) -> States:
        values = iter(numbers)
        return [[[next(values) for _ in range(r.size)] for r in self.reductions] for _ in range(self.shape.states)]

    # Partial results in memory

    @property
    def _parts(self) -> list[Buffer]:
        kinds, found = [k for r in self.reductions for k in r.kinds], []
        for kind, value in zip(kinds, self.launch.workspace):
            memory = self.thread.workspace[value]
            found.append(Buffer(memory, tuple(ir.MemRefType(memory.type).shape), kind, stored_element(kind)))
        return found

    # Results

    def _through_shared_memory(self, states: States, is_first: list[Number], slot: Number) -> None:
        """The warps' states, then a thread for each result of the tile."""
        shape, code = self.shape, self.code
        with code.where(*is_first):
            for number, state in enumerate(states):
                column = code.sum(code.product(slot, len(states)), code.index_constant(number))
                at = code.sum(code.product(self.warp, self.width), column)
                for value, buffer in zip([x for one in state for x in one], self.shared):
                    self.thread.memory.put(buffer, at, value)
        code.barrier()

        def combine(own: Number) -> None:
            vector, offset = code.divided(own, shape.states)
            result, inside = self._result(code.sum(self.first, vector))
            base = code.coordinates(result, shape.parallel, shape.states)
            if shape.states > 1:
                assert shape.inner is not None, "columns lie along a loop"
                base[shape.inner] = code.sum(base[shape.inner], offset)
            found = [self._load(code.sum(code.index_constant(n * self.width), own)) for n in range(shape.warps)]
            state, *others = found
            for other in others:
                state = [r.merge(a, b) for r, a, b in zip(self.reductions, state, other)]
            number = code.sum(code.product(result, shape.states), offset)
            self._write(Tile(base), number, [state], inside)

        self.thread.loop(self.own, shape.tile * shape.states, THREADS, combine)
        code.barrier()

    def _load(self, at: Number) -> list[State]:
        """What a warp has of a result."""
        values = iter([self.thread.memory.get(buffer, at) for buffer in self.shared])
        return [[next(values) for _ in range(r.size)] for r in self.reductions]

    def _write(self, tile: Tile, number: Number, states: States, checks: Sequence[Number]) -> None:
        """The results of a tile, the first of which has this number; or partial ones."""
        if self.part is not None:
            self._keep(tile, number, states, checks)
            return
        known = self.thread.evaluator.known
        for r, own in zip(self.reductions, zip(*states)):
            finished = [r.finish(initial, state) for initial, state in zip(r.initial(tile), own)]
            known.update(zip(r.combiner.op.results, map(list, zip(*finished))))
        self.thread.write(self.nest.stage.stores, tile, *checks)
        known.clear()

    def _initial(self, tile: Tile) -> States:
        return [list(state) for state in zip(*(r.initial(tile) for r in self.reductions))]

    def _keep(self, tile: Tile, number: Number, states: States, checks: Sequence[Number]) -> None:
        """Partial results, in the workspace."""
        code = self.code
        assert self.part is not None, "a part"
        first = code.sum(code.product(self.part, extent(self.shape.parallel)), code.product(number, tile.steps))
        at = Dim(1)
        columns = list(
            zip(*([x for r, s in zip(self.reductions, state) for x in s[: len(r.kinds)]] for state in states))
        )
        base: Base = {at: first}
        kept = Tile(base, stepped=at, steps=tile.steps)
        with code.where(*checks):
            for buffer, column in zip(self._parts, columns):
                self.thread.memory.store(buffer, Affine.of(at), kept, list(column))


def _place(part: Dim, results: Sequence[Dim]) -> Affine:
    """Of a partial result in the workspace: (part, result)."""
    loops = [part, *results]
    return flatten(tuple(map(Affine.of, loops)), [d.size for d in loops])


def _flat(states: States) -> list[Number]:
    return [x for state in states for one in state for x in one]
