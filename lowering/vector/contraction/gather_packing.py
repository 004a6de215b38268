"""Packing panels of B whose elements lie anywhere: their offsets are in two tables, one along n, one along the contracted dimension.

    B(k, n) = source[depths[k] + lanes[n]]      [panel][depth / group][width][group]

Vectors of n that lie side by side are loaded as they are. Where elements of k do, squares are transposed in registers:
a third table tells how many there are. All others are gathered, one by one where no instruction does.

For words of dot products, which A has side by side, the table along k has entries for whole words of each walk along A:
one that repeats the entry before it stands for a zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.loop_list import walk
from hlo.lowering.vector.contraction.function_text import FunctionText, Index, byte_size, part_of, parts_of, vector_type
from hlo.lowering.vector.contraction.packing import OFFSET, Panel, interleaved, load_extended, transposed_words
from hlo.lowering.vector.contraction.problem import Dim, count, whole
from hlo.lowering.vector.contraction.schedule import ContractionSchedule, table_dims

GATHERED = (4, 8)
"""Bytes of elements that instructions gather."""


@dataclass(frozen=True)
class Table:
    """Offsets along some loops, outermost first; with `runs`, how many elements are left in the innermost one. It is filled with zeros up to a
    multiple of `unit`. Each `walk` iterations together have entries for whole words of `word`."""

    dims: Sequence[Dim]
    unit: int = 1
    runs: bool = False
    walk: int = 1
    word: int = 1

    def entries(self, dims: Sequence[Dim]) -> int:
        """Of some of the loops, the innermost ones."""
        iterations = count(dims)
        return iterations if iterations % self.walk else iterations // self.walk * whole(self.walk, self.word)

    @property
    def bytes(self) -> int:
        """Rounded up to lines of the cache."""
        return whole(whole(self.entries(self.dims), self.unit) * 4, 64)


def tables_of(plan: ContractionSchedule) -> list[Table]:
    """Of the lanes, of the contracted loops, and, where elements lie side by side along those, of runs."""
    lanes, depths = table_dims(plan.problem)
    along = Table(depths, walk=plan.walked.k[-1].size if plan.walked.k else 1, word=plan.word)
    return [Table(lanes, plan.width), along, *([replace(along, runs=True)] if has_runs(plan) else [])]


def has_runs(plan: ContractionSchedule) -> bool:
    """Whether enough elements of k lie side by side for squares, in whole words."""
    run = table_dims(plan.problem)[1][-1]
    return run.b == 1 and run.size >= plan.vector * plan.word // 2 > 1 and run.size % plan.word == 0


def fill_table(f: FunctionText, start: str, table: Table) -> None:
    def entry(index: Index, number: Index) -> None:
        f.store(f.op(f"arith.trunci {f.i64(number)} : i64 to {OFFSET}"), f.offset(start, index, OFFSET), OFFSET, 4)

    def loop(level: int, index: Index, number: Index, inner: Callable[[Index, Index], None]) -> None:
        dim, *inside = table.dims[level:]
        with f.loop(0, dim.size) as i:
            here = f.sub(dim.size, i) if table.runs else f.add(number, f.mul(i, dim.b))
            inner(f.add(index, f.mul(i, table.entries(inside))), here)
        if table.word > 1 and count(table.dims[level:]) == table.walk:
            _fill_word(f, start, table, index)

    walk([partial(loop, level) for level in range(len(table.dims))], entry, 0, 0)
    size = table.entries(table.dims)
    if size % table.unit:
        with f.loop(size, whole(size, table.unit)) as index:
            f.store(f.constant("0", OFFSET), f.offset(start, index, OFFSET), OFFSET, 4)


def _fill_word(f: FunctionText, start: str, table: Table, index: str | int) -> None:
    """Repeats the last entry of a walk that begins at an index."""
    for at in range(table.walk, whole(table.walk, table.word)):
        last = f.load(f.offset(start, f.add(index, table.walk - 1), OFFSET), OFFSET, 4)
        f.store(last, f.offset(start, f.add(index, at), OFFSET), OFFSET, 4)


def pack_gathered(f: FunctionText, panel: Panel) -> None:
    """One panel. The tables begin at the block."""
    with f.loop(0, panel.width, panel.lanes) as at:
        _pack_vectors(f, panel, at)


def _pack_vectors(f: FunctionText, panel: Panel, at: str | int) -> None:
    """One vector of each row of the panel."""
    kind = f"vector<{panel.lanes}x{OFFSET}>"
    offsets = f.load(f.offset("%lanes", at, OFFSET), kind, 4)
    first = f.op(f"vector.extract {offsets}[0] : {OFFSET} from {kind}")
    spread = f.op(f"vector.broadcast {first} : {OFFSET} to {kind}")
    steps = f.constant(f"dense<{list(range(panel.lanes))}>", kind)
    equal = f.op(f"arith.cmpi eq, {offsets}, {f.op(f'arith.addi {spread}, {steps} : {kind}')} : {kind}")
    together = f.op(f"vector.reduction <and>, {equal} : vector<{panel.lanes}xi1> into i1")
    start = f.offset("%source", f.op(f"arith.extsi {first} : {OFFSET} to i64"), panel.source)
    f.do(f"scf.if {together} {{")
    with f.loop(0, "%depth", panel.group) as k:
        contiguous = lambda k: load_extended(f, panel, _row_pointer(f, panel, start, k), panel.lanes)
        _store_row(f, panel, _word(f, panel, k, contiguous), k, at)
    f.do("} else {")
    (_pack_runs if panel.runs else _gather_rows)(f, panel, at, offsets, _starts(f, panel, offsets))
    f.do("}")


def _starts(f: FunctionText, panel: Panel, offsets: str) -> list[str]:
    """Where each lane's elements begin."""
    kind = f"vector<{panel.lanes}x{OFFSET}>"
    each = [f.op(f"vector.extract {offsets}[{lane}] : {OFFSET} from {kind}") for lane in range(panel.lanes)]
    return [f.offset("%source", f.op(f"arith.extsi {offset} : {OFFSET} to i64"), panel.source) for offset in each]


def _row_pointer(f: FunctionText, panel: Panel, start: str, k: str | int) -> str:
    offset = f.load(f.offset("%depths", k, OFFSET), OFFSET, 4)
    return f.offset(start, f.op(f"arith.extsi {offset} : {OFFSET} to i64"), panel.source)


def _store_row(f: FunctionText, panel: Panel, value: str, k: str | int, at: str | int) -> None:
    pointer = f.offset("%target", f.add(f.mul(k, panel.width), f.mul(at, panel.group)), panel.element)
    f.store_vector(value, pointer, panel.lanes * panel.group, panel.element)


def _word(f: FunctionText, panel: Panel, k: str | int, row_at: Callable[[str | int], str]) -> str:
    """The words of `lanes` columns that begin at k, of the rows at it and behind it."""
    rows = [row_at(k)]
    for g in range(1, panel.group):
        row = row_at(f.add(k, g))
        if panel.rest:
            before, here = (f.load(f.offset("%depths", f.add(k, g - back), OFFSET), OFFSET, 4) for back in (1, 0))
            kind = f"vector<{panel.lanes}x{panel.element}>"
            differ = f.op(f"arith.cmpi ne, {before}, {here} : {OFFSET}")
            row = f.op(f"arith.select {differ}, {row}, {f.zero(kind)} : {kind}")
        rows.append(row)
    return interleaved(f, rows, panel)


def _gather_rows(
    f: FunctionText,
    panel: Panel,
    at: str | int,
    offsets: str,
    starts: list[str],
    first: str | int = 0,
    end: str | int = "%depth",
) -> None:
    size = byte_size(panel.source)

    def row_at(k: str | int) -> str:
        if size in GATHERED:
            value = f.gather(_row_pointer(f, panel, "%source", k), offsets, panel.lanes, panel.source, size)
        else:
            value = _one_by_one(f, panel, starts, k)
        return f.extended(value, panel.lanes, panel.source, panel.extend, panel.element)

    with f.loop(first, end, panel.group) as k:
        _store_row(f, panel, _word(f, panel, k, row_at), k, at)


def _one_by_one(f: FunctionText, panel: Panel, starts: list[str], k: str | int) -> str:
    """Elements that no instruction gathers."""
    kind, parts, part = vector_type(panel.lanes, panel.source), parts_of(panel.source), part_of(panel.source)
    value, one = f.zero(kind), f"vector<{parts}x{part}>"
    for lane, start in enumerate(starts):
        pointer, at = _row_pointer(f, panel, start, k), lane * parts
        if parts == 1:
            element = f.load(pointer, part, byte_size(part))
            value = f.op(f"vector.insert {element}, {value} [{at}] : {part} into {kind}")
            continue
        element = f.load(pointer, one, byte_size(part))
        value = f.op(
            f"vector.insert_strided_slice {element}, {value} {{offsets = [{at}], strides = [1]}} : {one} into {kind}"
        )
    return value


def _pack_runs(f: FunctionText, panel: Panel, at: str | int, offsets: str, starts: list[str]) -> None:
    """Run by run along k, a square at most: transposed if it is long. A square is stored whole; what is behind its run
    is written again, or is the room of a vector's rows behind the panel."""
    lanes = panel.lanes
    run = lanes * panel.group
    condition, body = f.fresh(), f.fresh()
    f.do(f"scf.while ({condition} = {f.i64(0)}) : (i64) -> i64 {{")
    f.do(f"scf.condition({f.compare('slt', condition, '%depth')}) {condition} : i64 }} do {{ ^bb0({body}: i64):")
    left = f.load(f.offset("%runs", body, OFFSET), OFFSET, 4)
    left = f.op(f"arith.extsi {left} : {OFFSET} to i64")
    length = f.min(f.min(left, f.sub("%depth", body)), run)
    f.do(f"scf.if {f.compare('sge', length, run // 2)} {{")
    mask = panel.mask(f, run, length)
    rows = [load_extended(f, panel, _row_pointer(f, panel, start, body), run, mask) for start in starts]
    for i, row in enumerate(transposed_words(f, panel, rows)):
        _store_row(f, panel, row, f.add(body, i * panel.group), at)
    f.do("} else {")
    _gather_rows(f, panel, at, offsets, starts, body, f.add(body, length))
    f.do("}")
    f.do(f"scf.yield {f.add(body, length)} : i64 }}")
