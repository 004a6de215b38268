"""Chains of reductions over a row and what is computed between and after them (softmax, norms), as one launch: threads do all of them for their row
before they take the next.

    softmax: maximum of the row, exponentials, their sum, quotients
    after:   one gpu.func; each thread has every n-th of a row's elements, or 16 bytes of them; what is costly and needed twice stays in shared memory, where
             the thread that has written an element reads it again; reductions by all threads of a row

A long row has a block of threads, short ones share a block: one thread for four elements. Where results are contiguous along the rows' number (a
softmax over other than the last dimension), adjacent lanes have adjacent rows. Few long rows are one launch for each level of reductions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir

from hlo.lowering.gpu.grid import MOST_BLOCKS, THREADS, Grid, Launch, counted
from hlo.lowering.gpu.region.partial_results import PartialResults, State, combiners_of
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.gpu.region.walk import extent, largest_read, sizes_of, walks_of, with_last
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.iteration import Affine, Dim, flatten
from hlo.lowering.memory.storage import element_bytes, stored_element
from hlo.lowering.vector.region.chain import wide_and_narrow
from hlo.lowering.vector.region.combine import Combiner
from hlo.lowering.vector.region.memory import Buffer, Tile
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number
from hlo.lowering.vector.region.plan import power_of_two_above

SHARED_BYTES = 40 * 1024
"""Of rows in shared memory; with what reductions have of it below the 48 KiB that every kernel may have."""

ELEMENTS = 4
"""Of a row for each of its threads, as long as a block has enough."""

LEAST_ROWS = 64
"""Rows from which blocks fill a card; fewer only if the rows are short."""

LONG_ROW = 8192

ACROSS = WARP
"""Rows that adjacent lanes have."""


def are_rows(rows: Sequence[int], row: Sequence[int]) -> bool:
    """Whether one launch is profitable, by the sizes of the loops."""
    return prod(rows) >= LEAST_ROWS or prod(row) <= LONG_ROW


@dataclass(frozen=True)
class Rows:
    """One launch. `rows`, `row`: the loops; `inner`: that of the row along which a thread has `width` neighbours. `threads` of a row, `together` rows of a
    block; `is_column`: adjacent lanes have adjacent rows, instead of elements of one row. `kept`: values in shared memory."""

    nest: Nest
    combiners: Sequence[Combiner]
    rows: tuple[Dim, ...]
    row: tuple[Dim, ...]
    inner: Dim | None
    width: int
    threads: int
    together: int
    is_column: bool
    kept: Sequence[ir.Value]

    @property
    def count(self) -> int:
        return extent(self.rows)

    @property
    def tiles(self) -> int:
        return -(-self.count // self.together)

    @property
    def grid(self) -> Grid:
        return Grid(min(self.tiles, MOST_BLOCKS), self.threads * self.together)

    @property
    def has_barriers(self) -> bool:
        """Whether a row's threads are not all in one warp."""
        return self.threads > (1 if self.is_column else WARP)

    def launch(self) -> Launch:
        shape = "x".join([str(self.count), sizes_of(self.nest.stage.reduction)])
        own = f", {counted(len(self.kept), 'row')} in shared memory" if self.kept else ""
        who = "a block of threads" if self.together == 1 else counted(self.threads, "thread")
        what = f"{counted(len(self.combiners), 'reduction')} and {counted(len(self.nest.stage.stores), 'result')}"
        return Launch(self.grid, f"{what} on rows of {shape}, {who} each{own}", lambda t: RowsCode(self, t).emit())


def row_launch(nest: Nest) -> Launch:
    """The launch of a chain."""
    stage, walks = nest.stage, walks_of(nest)
    inner = largest_read(walks, stage.parallel)
    is_column = inner is not None and inner in stage.parallel
    row = with_last(stage.reduction, inner)
    width = 1 if is_column else walks.width(inner, *(one for one in walks.stores if one.inner in stage.reduction))
    length = extent(row)
    threads = min(THREADS // ACROSS if is_column else THREADS, power_of_two_above(-(-length // max(ELEMENTS, width))))
    together = max(WARP // threads, min(THREADS // threads, power_of_two_above(extent(stage.parallel))), 1)
    room, kept = SHARED_BYTES // together, []
    for value in stage.kept:
        size = length * element_bytes(stored_element(value.type.element_type))
        if size <= room:
            room -= size
            kept.append(value)
    rows = with_last(stage.parallel, inner)
    return Rows(
        nest,
        combiners_of(stage.generics),
        tuple(rows),
        tuple(row),
        inner if width > 1 else None,
        width,
        threads,
        together,
        is_column,
        kept,
    ).launch()


class RowsCode:
    """The code of a launch."""

    def __init__(self, plan: Rows, thread: Thread):
        self.plan, self.thread, self.code = plan, thread, thread.code
        self.length, self.index = extent(plan.row), plan.nest.index
        self.reductions = {c.op: PartialResults(c, thread, self.index) for c in plan.combiners}
        self.in_block, together = thread.identity("gpu.thread_id"), plan.together
        self.own: Number
        self.slot: Number | None
        if plan.is_column:
            self.own, self.slot = self.code.divided(self.in_block, together)
        else:
            self.slot, self.own = (
                self.code.divided(self.in_block, plan.threads) if together > 1 else (None, self.in_block)
            )
        self.of_slot = Dim(together)
        self.buffers = {value: self._row_buffer(value.type.element_type) for value in plan.kept}

    def _row_buffer(self, kind: ir.Type) -> tuple[Buffer, Affine]:
        """Shared memory for a value of the block's rows, and an element's position in it."""
        plan, size = self.plan, self.length * self.plan.together
        own = flatten(tuple(map(Affine.of, plan.row)), [d.size for d in plan.row])
        slot = Affine.of(self.of_slot)
        position = own * plan.together + slot if plan.is_column else own + slot * self.length
        memory = self.thread.shared([size], kind)
        return Buffer(memory, (size,), kind, stored_element(kind), self.code.depth + 1), position

    def emit(self) -> None:
        self.thread.loop(self.thread.identity("gpu.block_id"), self.plan.tiles, self.plan.grid.blocks, self._tile)

    def _tile(self, item: Number) -> None:
        plan, code, evaluator = self.plan, self.code, self.thread.evaluator
        number, checks = item, []
        if self.slot is not None:
            number = code.sum(code.product(item, plan.together), self.slot)
        if plan.count % plan.together:
            checks = [code.below(number, plan.count)]
            number = code.clamped(number, plan.count - 1)
        self.base = code.coordinates(number, plan.rows)
        if self.slot is not None:
            self.base[self.of_slot] = self.slot
        evaluator.row_index = tuple(self.index)
        for level in plan.nest.stage.levels:
            self._reduce([self.reductions[op] for op in level])
        self._write(checks)
        evaluator.known.clear()
        evaluator.rows.clear()
        if plan.has_barriers:
            code.barrier()

    def _write(self, checks: Sequence[Number]) -> None:
        """The results: elements of the row by all threads, those of one number by its first thread."""
        plan = self.plan
        wide, narrow = wide_and_narrow(plan.nest.stage, len(self.index))
        if wide:
            count = self.length // plan.width
            self.thread.loop(
                self.own, count, plan.threads, lambda item: self.thread.write(wide, self._elements(item), *checks)
            )
        if narrow:
            is_first = self.code.compared("eq", self.own, self.code.index_constant(0))
            self.thread.write(narrow, Tile(self.base), is_first, *checks)

    def _elements(self, item: Number) -> Tile:
        """Those of the row that a thread has together."""
        plan = self.plan
        base = {**self.base, **self.code.coordinates(item, plan.row, plan.width)}
        return Tile(base, stepped=plan.inner, steps=plan.width)

    def _reduce(self, reductions: Sequence[PartialResults]) -> None:
        """One level: its results are known to all threads of the row. What is no op with a neutral value is computed by each of them."""
        plan, code, evaluator = self.plan, self.code, self.thread.evaluator
        tile, is_parallel = Tile(self.base), all(r.combiner.kind == "op" for r in reductions)
        starts = [x for r in reductions for x in (r.start() if is_parallel else r.from_memory(r.initial(tile)[0]))]
        first, step = (self.own, plan.threads) if is_parallel else (code.index_constant(0), 1)
        fresh: set[ir.Value] = set()

        def body(item: Number, carried: list[Number]) -> list[Number]:
            elements, states = self._elements(item), _grouped(reductions, carried)
            inputs = [r.inputs(elements) for r in reductions]
            for lane in range(plan.width):
                states = [r.add(s, elements, i, lane) for r, s, i in zip(reductions, states, inputs)]
            fresh.update(self._keep(elements))
            return [x for state in states for x in state]

        found = code.loop(first, code.index_constant(self.length // plan.width), step, body, starts)
        states = _grouped(reductions, found)
        if is_parallel:
            states = self._merged(reductions, states)
            states = [r.finish(r.initial(tile)[0], s) for r, s in zip(reductions, states)]
        else:
            states = [r.results(s) for r, s in zip(reductions, states)]
        for r, state in zip(reductions, states):
            evaluator.known.update((result, [x]) for result, x in zip(r.combiner.op.results, state))
        evaluator.rows.update((value, self.buffers[value]) for value in fresh)

    def _keep(self, tile: Tile) -> list[ir.Value]:
        """Stores the values of a tile that are computed in it and needed again."""
        fresh = []
        for value, (buffer, position) in self.buffers.items():
            numbers = tile.memo.get((value, tuple(self.index)))
            if numbers is not None and value not in self.thread.evaluator.rows:
                self.thread.memory.store(buffer, position, tile, numbers)
                fresh.append(value)
        return fresh

    def _merged(self, reductions: Sequence[PartialResults], states: list[State]) -> list[State]:
        """What all threads of a row have together: of a warp by shuffles, of several through shared memory."""
        plan = self.plan
        if not plan.is_column:
            distances = [n for n in (1, 2, 4, 8, 16) if n < min(WARP, plan.threads)]
            states = [r.merge_lanes(s, distances) for r, s in zip(reductions, states)]
        return self._through_shared_memory(reductions, states) if plan.has_barriers else states

    def _through_shared_memory(self, reductions: Sequence[PartialResults], states: list[State]) -> list[State]:
        """In columns each thread has a state, in rows the first lane of each warp."""
        plan, code = self.plan, self.code
        kinds = [kind for r in reductions for kind in r.kinds]
        count = plan.threads if plan.is_column else plan.threads // WARP
        size = count * plan.together
        arrays = [Buffer(self.thread.shared([size], k), (size,), k, stored_element(k), code.depth) for k in kinds]
        warp, lane = code.divided(self.in_block, WARP)
        at, checks = self.in_block, []
        if not plan.is_column:
            at, checks = warp, [code.compared("eq", lane, code.index_constant(0))]
        with code.where(*checks):
            for buffer, value in zip(arrays, [x for state in states for x in state]):
                self.thread.memory.put(buffer, at, value)
        code.barrier()
        slot = self.slot or code.index_constant(0)
        first, step = (slot, plan.together) if plan.is_column else (code.product(slot, count), 1)
        found, *others = [
            _grouped(
                reductions, [self.thread.memory.get(b, code.sum(first, code.index_constant(n * step))) for b in arrays]
            )
            for n in range(count)
        ]
        for other in others:
            found = [r.merge(a, b) for r, a, b in zip(reductions, found, other)]
        return found


def _grouped(reductions: Sequence[PartialResults], numbers: Sequence[Number]) -> list[State]:
    """Of numbers that follow each other, the state of each reduction."""
    values = iter(numbers)
    return [[next(values) for _ in range(r.size)] for r in reductions]
