"""The code of a loop nest as one launch: a thread's part of what is reduced, what threads with one result have together, and the
results; of a chain (softmax, norms) level by level, then what is computed from the reductions of a row. A map reduces nothing.

softmax: maximum of the row, exponentials, their sum, quotients
after:   one gpu.func; each thread has every n-th of a row's elements, or 16 bytes of them; what is costly and needed twice stays in
         shared memory, where the thread that has written an element reads it again; reductions by all threads of a row

Partial results of threads are combined by shuffles within a warp and in shared memory beyond it, in a fixed order."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.launches import Launch
from hlo.lowering.gpu.region.partial_results import PartialResults, State, combiners_of
from hlo.lowering.gpu.region.sharing import Shape, extent
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.linalg.iteration import Affine, Dim, flatten
from hlo.lowering.memory.storage import stored_element
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.memory import Buffer, Tile, number_at
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number

States = list[list[State]]
"""By adjacent result, then by reduction."""


@dataclass(frozen=True)
class NestLaunch:
    """One launch. `is_chain`: its reductions need each other, or results are rows; `kept`: values of its rows in shared memory.
    `workspace`: what partial results are kept in, by number of a state, of (part, result) each: written, or read if `is_last`."""

    nest: Nest
    shape: Shape
    is_chain: bool = False
    kept: Sequence[ir.Value] = ()
    workspace: tuple[ir.Value, ...] = ()
    is_last: bool = False

    def launch(self, decision: str) -> Launch:
        return Launch(self.shape.grid, decision, lambda thread: NestCode(self, thread).emit())


class NestCode:
    """The code of a launch. `own`: which of the threads with one result this is; `slot`: the number of the result among
    those of the block; `levels`: reductions, each of which may need those before; `tile`: the thread's results."""

    def __init__(self, launch: NestLaunch, thread: Thread):
        self.launch, self.thread, self.shape, self.nest = launch, thread, launch.shape, launch.nest
        self.code, shape, stage = thread.code, launch.shape, launch.nest.stage
        made = {c.op: PartialResults(c, thread, self.nest.index) for c in combiners_of(stage.generics)}
        levels = stage.levels if launch.is_chain else [stage.generics] if stage.generics else []
        self.levels = [[made[op] for op in level] for level in levels]
        in_block, first = thread.identity("gpu.thread_id"), self.code.index_constant(0)
        if 1 in (shape.threads, shape.together):
            self.own, self.slot = (first, in_block) if shape.threads == 1 else (in_block, first)
        elif shape.is_column:
            self.own, self.slot = self.code.divided(in_block, shape.together)
        else:
            self.slot, self.own = self.code.divided(in_block, shape.threads)
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
        shape, code, evaluator = self.shape, self.code, self.thread.evaluator
        self.part: Number | None = None
        if shape.parts > 1:
            self.part, number = code.divided(number, shape.tiles)
        self.result, self.inside = self._result(code.sum(code.product(number, shape.together), self.slot))
        base = {**code.coordinates(self.result, shape.parallel, shape.states), self.of_slot: self.slot}
        self.tile = Tile(base, stepped=shape.inner if shape.is_column else None, steps=shape.states)
        evaluator.row_index = tuple(self.nest.index) if self.launch.is_chain else ()
        for reductions in self.levels:
            states = self._reduced(reductions)
            if self.part is not None:
                self._store_parts(reductions, states, self.part)
                break
            for r, own in zip(reductions, zip(*states)):
                finished = [r.finish(initial, state) for initial, state in zip(r.initial(self.tile), own)]
                evaluator.known.update(zip(r.combiner.op.results, map(list, zip(*finished))))
        else:
            self._write_results()
        evaluator.known.clear()
        evaluator.rows.clear()
        if shape.warps > 1:
            code.barrier()

    def _result(self, number: Number) -> tuple[Number, list[Number]]:
        """A result (or neighbouring ones) that there is, and the check that it is this thread's."""
        if self.shape.results % self.shape.together == 0:
            return number, []
        check = self.code.below(number, self.shape.results)
        return self.code.clamped(number, self.shape.results - 1), [check]

    def _write_results(self) -> None:
        """Elements of a chain's rows by all threads of the row, those of one number by the first."""
        stage = self.nest.stage
        wide, narrow = wide_and_narrow(stage, len(self.nest.index)) if self.launch.is_chain else ([], stage.stores)
        if wide:
            write = lambda at: self.thread.write(wide, self._element_tile(at), *self.inside)
            self.thread.loop(self.own, self.shape.steps, self.shape.threads, write)
        if narrow:
            self.thread.write(narrow, self.tile, *self.is_first, *self.inside)

    # Reductions of a level

    def _reduced(self, reductions: Sequence[PartialResults]) -> States:
        """What all elements combine to, which the first thread of a result has: all of them have it in a chain, where each computes
        alone what is no op with a neutral value."""
        if self.launch.is_chain and any(r.combiner.kind != "op" for r in reductions):
            return self._own_part(reductions, False)
        states = self._of_lanes(reductions, self._own_part(reductions, True))
        return states if self.shape.warps == 1 else self._of_groups(reductions, states)

    def _own_part(self, reductions: Sequence[PartialResults], is_shared: bool) -> States:
        """What this thread's elements combine to: all elements unless threads share them."""
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
            tiles = [self._element_tile(code.sum(position, number * step)) for number in range(unroll)]
            inputs = [self._inputs(reductions, one) for one in tiles]
            states = self._grouped(reductions, carried[1:])
            for one, own in zip(tiles, inputs):
                for lane in range(shape.width):
                    which = lane if shape.is_column else 0
                    added = zip(reductions, states[which], own)
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
        position = position_of_part(part, self.shape.parallel)
        loaded = iter([self.thread.memory.load(b, position, one) for b in self._parts(reductions)])
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

    def _of_groups(self, reductions: Sequence[PartialResults], states: States) -> States:
        """Of all groups of lanes, by way of shared memory."""
        shape, code, memory = self.shape, self.code, self.thread.memory
        width, count = shape.together * shape.states, range(shape.states)
        arrays = [self._shared(shape.warps * width, kind) for r in reductions for kind in r.state_kinds]
        group, lane = code.divided(self.own, shape.lanes)
        own = code.product(self.slot, shape.states)
        with code.where(*([code.compared("eq", lane, 0)] if shape.lanes > 1 else [])):
            first = code.sum(code.product(group, width), own)
            for number, state in enumerate(states):
                for value, buffer in zip(_flat([state]), arrays):
                    memory.put(buffer, code.sum(first, number), value)
        code.barrier()
        groups = []
        for number in range(shape.warps):
            positions = [code.sum(own, number * width + n) for n in count]
            groups.append(self._grouped(reductions, [memory.get(b, at) for at in positions for b in arrays]))
        states, *others = groups
        for other in others:
            states = [[r.merge(*two) for r, *two in zip(reductions, states[n], other[n])] for n in count]
        return states

    # Partial results in memory

    def _parts(self, reductions: Sequence[PartialResults]) -> list[Buffer]:
        kinds, found = [k for r in reductions for k in r.kinds], []
        for kind, value in zip(kinds, self.launch.workspace):
            memory = self.thread.workspace[value]
            found.append(Buffer(memory, tuple(ir.MemRefType(memory.type).shape), kind, stored_element(kind)))
        return found

    def _store_parts(self, reductions: Sequence[PartialResults], states: States, part: Number) -> None:
        """Partial results, in the workspace."""
        code, steps, at = self.code, self.tile.steps, Dim(1)
        first = code.sum(code.product(part, extent(self.shape.parallel)), code.product(self.result, steps))
        columns = zip(*([x for r, s in zip(reductions, state) for x in s[: len(r.kinds)]] for state in states))
        kept = Tile({at: first}, stepped=at, steps=steps)
        with code.where(*self.inside, *self.is_first):
            for buffer, column in zip(self._parts(reductions), columns):
                self.thread.memory.store(buffer, Affine.of(at), kept, list(column))


def position_of_part(part: Dim, results: Sequence[Dim]) -> Affine:
    """Of a partial result in the workspace: (part, result)."""
    loops = [part, *results]
    return flatten(tuple(map(Affine.of, loops)), [d.size for d in loops])


def _flat(states: States) -> list[Number]:
    return [x for state in states for one in state for x in one]
