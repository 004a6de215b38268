"""The code of launches that reduce: a thread's part of the elements, then what threads with one result have; of a chain
(softmax, norms) level by level, then what is computed from the reductions of a row."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.grid import Launch
from hlo.lowering.gpu.region.partial_results import PartialResults, State
from hlo.lowering.gpu.region.sharing import Shape
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.gpu.region.walk import extent
from hlo.lowering.linalg.iteration import Affine, Dim, flatten
from hlo.lowering.memory.storage import stored_element
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.combine import Combiner
from hlo.lowering.vector.region.memory import Base, Buffer, Tile, number_at
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number

States = list[list[State]]
"""By adjacent result, then by reduction."""


@dataclass(frozen=True)
class Reduction:
    """One launch. `levels`: the reductions of a chain by level, each of which may need those before; `kept`: values of
    its rows in shared memory. `workspace`: what partial results are kept in, by number of a state, of (part, result)
    each: written, or read if `is_last`."""

    nest: Nest
    combiners: Sequence[Combiner]
    shape: Shape
    levels: Sequence[Sequence[ir.Operation]] = ()
    kept: Sequence[ir.Value] = ()
    workspace: tuple[ir.Value, ...] = ()
    is_last: bool = False

    def launch(self, decision: str) -> Launch:
        return Launch(self.shape.grid, decision, lambda thread: ReductionCode(self, thread).emit())


class ReductionCode:
    """The code of a launch. `own`: which of the threads with one result this is; `slot`: the number of the result among
    those of the block."""

    def __init__(self, launch: Reduction, thread: Thread):
        self.launch, self.thread, self.shape, self.nest = launch, thread, launch.shape, launch.nest
        self.code, shape = thread.code, launch.shape
        self.reductions = {c.op: PartialResults(c, thread, self.nest.index) for c in launch.combiners}
        self.in_block = thread.identity("gpu.thread_id")
        if shape.together == 1:
            self.own, self.slot = self.in_block, self.code.index_constant(0)
        elif shape.is_column:
            self.own, self.slot = self.code.divided(self.in_block, shape.together)
        else:
            self.slot, self.own = self.code.divided(self.in_block, shape.threads)
        self.is_first = [] if shape.threads == 1 else [self.code.compared("eq", self.own, 0)]
        self.of_slot = Dim(shape.together)
        self.buffers = {value: self._row_buffer(value.type.element_type) for value in launch.kept}

    def _row_buffer(self, kind: ir.Type) -> tuple[Buffer, Affine]:
        """Shared memory for a value of the block's rows, and an element's position in it."""
        shape, length = self.shape, extent(self.shape.reduction)
        own = flatten(tuple(map(Affine.of, shape.reduction)), [d.size for d in shape.reduction])
        slot = Affine.of(self.of_slot)
        position = own * shape.together + slot if shape.is_column else own + slot * length
        return self._shared(length * shape.together, kind), position

    def _shared(self, size: int, kind: ir.Type) -> Buffer:
        return Buffer(self.thread.shared([size], kind), (size,), kind, stored_element(kind), self.code.depth + 1)

    def emit(self) -> None:
        tiles = self.shape.tiles * self.shape.parts
        self.thread.loop(self.thread.identity("gpu.block_id"), tiles, self.shape.grid.blocks, self._tile)

    def _tile(self, number: Number) -> None:
        shape, code = self.shape, self.code
        self.part: Number | None = None
        if shape.parts > 1:
            self.part, number = code.divided(number, shape.tiles)
        self.first = code.product(number, shape.together)
        result, self.inside = self._result(code.sum(self.first, self.slot))
        self.tile = self._result_tile(result)
        if self.launch.levels:
            self._chain()
            return
        reductions = list(self.reductions.values())
        states = self._of_lanes(reductions, self._own_part(reductions, True))
        if shape.warps == 1:
            self._write(self.tile, result, states, [*self.inside, *self.is_first])
        else:
            self._through_shared_memory(reductions, states)

    def _result(self, number: Number) -> tuple[Number, list[Number]]:
        """A result (or neighbouring ones) that there is, and the check that it is this thread's."""
        if self.shape.results % self.shape.together == 0:
            return number, []
        check = self.code.below(number, self.shape.results)
        return self.code.clamped(number, self.shape.results - 1), [check]

    def _result_tile(self, result: Number) -> Tile:
        shape = self.shape
        base = {**self.code.coordinates(result, shape.parallel, shape.states), self.of_slot: self.slot}
        return Tile(base, stepped=shape.inner if shape.is_column else None, steps=shape.states)

    # This thread's part

    def _own_part(self, reductions: Sequence[PartialResults], is_shared: bool) -> States:
        """What its elements combine to: all elements unless threads share them."""
        shape = self.shape
        states = [list(state) for state in zip(*(r.begin(self.tile) for r in reductions))]
        first, stop, step = self.code.index_constant(0), self.code.index_constant(shape.steps), 1
        if is_shared:
            first, stop, step = self._range(any(r.combiner.in_order for r in reductions))
        position, states = self._loop(reductions, first, stop, step, shape.unroll, states)
        if shape.unroll > 1 and not shape.is_even:
            _, states = self._loop(reductions, position, stop, step, 1, states)
        return states

    def _range(self, in_order: bool) -> tuple[Number, Number, int]:
        """First step, the one after the last, distance: adjacent, or one behind the other if order counts."""
        shape, code = self.shape, self.code
        first, stop = code.index_constant(0), code.index_constant(shape.steps)
        if self.part is not None:
            first = code.product(self.part, shape.length)
            stop = code.clamped(code.sum(first, shape.length), shape.steps)
        if shape.threads == 1 or not in_order:
            return code.sum(first, self.own), stop, shape.threads
        begin = code.sum(first, code.product(self.own, shape.iterations))
        return begin, code.arith("minui", code.sum(begin, shape.iterations), stop), 1

    def _loop(
        self, reductions: Sequence[PartialResults], first: Number, stop: Number, step: int, unroll: int, states: States
    ) -> tuple[Number, States]:
        """`unroll` steps in an iteration, as long as there are so many. All inputs of vectors come first."""
        shape, code, fresh = self.shape, self.code, set[ir.Value]()
        last = code.arith("subi", stop, step * (unroll - 1)) if unroll > 1 else stop

        def iteration(position: Number, carried: list[Number]) -> list[Number]:
            steps = []
            for number in range(unroll):
                at = code.sum(position, number * step) if number else position
                one = self._element_tile(at)
                steps.append((one, self._inputs(reductions, one)))
            states = self._grouped(reductions, carried[1:])
            for one, inputs in steps:
                for lane in range(shape.width):
                    which = lane if shape.is_column else 0
                    added = zip(reductions, states[which], inputs)
                    states[which] = [self._added(r, s, one, i, lane) for r, s, i in added]
                fresh.update(self._keep(one))
            return [code.sum(position, step * unroll), *_flat(states)]

        position, *now = code.loop(first, last, step * unroll, iteration, [first, *_flat(states)])
        self.thread.evaluator.rows.update((value, self.buffers[value]) for value in fresh)
        return position, self._grouped(reductions, now)

    def _element_tile(self, at: Number) -> Tile:
        """The tile of the results with an iteration of the loops that are reduced: one for each of neighbouring
        results, or neighbours for one."""
        shape = self.shape
        base = {**self.tile.base, **self.code.coordinates(at, shape.reduction, 1 if shape.is_column else shape.width)}
        return Tile(base, stepped=shape.inner, steps=shape.width)

    def _inputs(self, reductions: Sequence[PartialResults], one: Tile) -> list[list[list[Number]]]:
        """By reduction, those of its body; or parts."""
        if not self.launch.is_last:
            return [r.inputs(one) for r in reductions]
        (part,) = self.shape.reduction
        place = place_of_part(part, self.shape.parallel)
        loaded = iter([self.thread.memory.load(b, place, one) for b in self._parts])
        return [[next(loaded) for _ in r.kinds] for r in reductions]

    def _added(self, r: PartialResults, state: State, tile: Tile, inputs: list[list[Number]], step: int) -> State:
        if not self.launch.is_last:
            return r.add(state, tile, inputs, step)
        return r.merge(state, r.from_memory([number_at(numbers, step) for numbers in inputs]))

    def _keep(self, tile: Tile) -> list[ir.Value]:
        """Stores the values of a tile that are computed in it and needed again."""
        fresh = []
        for value, (buffer, position) in self.buffers.items():
            numbers = tile.memo.get((value, tuple(self.nest.index)))
            if numbers is not None and value not in self.thread.evaluator.rows:
                self.thread.memory.store(buffer, position, tile, numbers)
                fresh.append(value)
        return fresh

    def _grouped(self, reductions: Sequence[PartialResults], numbers: Sequence[Number]) -> States:
        values = iter(numbers)
        return [[[next(values) for _ in range(r.size)] for r in reductions] for _ in range(self.shape.states)]

    # What threads with one result have

    def _of_lanes(self, reductions: Sequence[PartialResults], states: States) -> States:
        """Of those in one warp."""
        distance = self.shape.together if self.shape.is_column else 1
        distances = [distance * n for n in (1, 2, 4, 8, 16) if n < self.shape.lanes]
        return [[r.merge_lanes(s, distances) for r, s in zip(reductions, state)] for state in states]

    def _put(self, reductions: Sequence[PartialResults], states: States) -> list[Buffer]:
        """The states of all groups of lanes in shared memory, which all threads of the block can read then."""
        shape, code, width = self.shape, self.code, self.shape.together * self.shape.states
        arrays = [self._shared(shape.warps * width, kind) for r in reductions for kind in r.state_kinds]
        group, lane = code.divided(self.own, shape.lanes)
        checks = [code.compared("eq", lane, 0)] if shape.lanes > 1 else []
        with code.where(*checks):
            for number, state in enumerate(states):
                column = code.sum(code.product(self.slot, len(states)), number)
                at = code.sum(code.product(group, width), column)
                for value, buffer in zip([x for one in state for x in one], arrays):
                    self.thread.memory.put(buffer, at, value)
        code.barrier()
        return arrays

    def _of_groups(self, reductions: Sequence[PartialResults], arrays: Sequence[Buffer], own: Number) -> list[State]:
        """What all of them have of one result, by its number in the block."""
        code, width, found = self.code, self.shape.together * self.shape.states, list[list[State]]()
        for number in range(self.shape.warps):
            at = code.sum(code.index_constant(number * width), own)
            values = iter([self.thread.memory.get(buffer, at) for buffer in arrays])
            found.append([[next(values) for _ in range(r.size)] for r in reductions])
        state, *others = found
        for other in others:
            state = [r.merge(a, b) for r, a, b in zip(reductions, state, other)]
        return state

    # Results

    def _through_shared_memory(self, reductions: Sequence[PartialResults], states: States) -> None:
        """The states of the groups, then a thread for each result of the tile."""
        shape, code, arrays = self.shape, self.code, self._put(reductions, states)

        def combine(own: Number) -> None:
            vector, offset = code.divided(own, shape.states)
            result, inside = self._result(code.sum(self.first, vector))
            base = code.coordinates(result, shape.parallel, shape.states)
            if shape.states > 1:
                assert shape.inner is not None, "columns lie along a loop"
                base[shape.inner] = code.sum(base[shape.inner], offset)
            number = code.sum(code.product(result, shape.states), offset)
            self._write(Tile(base), number, [self._of_groups(reductions, arrays, own)], inside)

        self.thread.loop(self.in_block, shape.together * shape.states, shape.grid.threads, combine)
        code.barrier()

    def _write(self, tile: Tile, number: Number, states: States, checks: Sequence[Number]) -> None:
        """The results of a tile, the first of which has this number; or partial ones."""
        if self.part is not None:
            self._store_parts(tile, number, states, checks)
            return
        self._finish(list(self.reductions.values()), tile, states)
        self.thread.write(self.nest.stage.stores, tile, *checks)
        self.thread.evaluator.known.clear()

    def _finish(self, reductions: Sequence[PartialResults], tile: Tile, states: States) -> None:
        """The evaluator knows the results of a tile."""
        for r, own in zip(reductions, zip(*states)):
            finished = [r.finish(initial, state) for initial, state in zip(r.initial(tile), own)]
            self.thread.evaluator.known.update(zip(r.combiner.op.results, map(list, zip(*finished))))

    # Partial results in memory

    @property
    def _parts(self) -> list[Buffer]:
        kinds, found = [k for r in self.reductions.values() for k in r.kinds], []
        for kind, value in zip(kinds, self.launch.workspace):
            memory = self.thread.workspace[value]
            found.append(Buffer(memory, tuple(ir.MemRefType(memory.type).shape), kind, stored_element(kind)))
        return found

    def _store_parts(self, tile: Tile, number: Number, states: States, checks: Sequence[Number]) -> None:
        """Partial results, in the workspace."""
        code, reductions = self.code, self.reductions.values()
        assert self.part is not None, "a part"
        first = code.sum(code.product(self.part, extent(self.shape.parallel)), code.product(number, tile.steps))
        at = Dim(1)
        columns = zip(*([x for r, s in zip(reductions, state) for x in s[: len(r.kinds)]] for state in states))
        base: Base = {at: first}
        kept = Tile(base, stepped=at, steps=tile.steps)
        with code.where(*checks):
            for buffer, column in zip(self._parts, columns):
                self.thread.memory.store(buffer, Affine.of(at), kept, list(column))

    # Chains

    def _chain(self) -> None:
        """All reductions of a row, level by level; then its results: elements of the row by all threads, those of one
        number by the first."""
        evaluator, nest = self.thread.evaluator, self.nest
        evaluator.row_index = tuple(nest.index)
        for level in self.launch.levels:
            self._reduce_level([self.reductions[op] for op in level])
        wide, narrow = wide_and_narrow(nest.stage, len(nest.index))
        if wide:
            write = lambda at: self.thread.write(wide, self._element_tile(at), *self.inside)
            self.thread.loop(self.own, self.shape.steps, self.shape.threads, write)
        if narrow:
            self.thread.write(narrow, Tile(self.tile.base), *self.is_first, *self.inside)
        evaluator.known.clear()
        evaluator.rows.clear()
        if self.shape.warps > 1:
            self.code.barrier()

    def _reduce_level(self, reductions: Sequence[PartialResults]) -> None:
        """Its results are known to all threads of the row. What is no op with a neutral value is computed by each of them."""
        is_shared = all(r.combiner.kind == "op" for r in reductions)
        states = self._own_part(reductions, is_shared)
        if is_shared:
            states = self._of_lanes(reductions, states)
            if self.shape.warps > 1:
                states = [self._of_groups(reductions, self._put(reductions, states), self.slot)]
        self._finish(reductions, self.tile, states)


def place_of_part(part: Dim, results: Sequence[Dim]) -> Affine:
    """Of a partial result in the workspace: (part, result)."""
    loops = [part, *results]
    return flatten(tuple(map(Affine.of, loops)), [d.size for d in loops])


def _flat(states: States) -> list[Number]:
    return [x for state in states for one in state for x in one]
