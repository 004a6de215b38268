"""Packing panels of B whose elements lie anywhere: their offsets are in two tables, one along n, one along the contracted dimension.

    B(k, n) = source[depths[k] + lanes[n]]      [panel][depth][width]

Vectors of n that lie side by side are loaded as they are. Where elements of k do, squares are transposed in registers:
a third table tells how many there are. All others are gathered, one by one where no instruction does."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.lowering.vector.contraction.function_text import FunctionText, byte_size, part_of, parts_of, vector_type
from hlo.lowering.vector.contraction.packing import OFFSET, Panel, load_extended, transposed_words
from hlo.lowering.vector.contraction.problem import Dim, count, whole

GATHERED = (4, 8)
"""Bytes of elements that instructions gather."""


def tables_of(
    lanes: Sequence[Dim], depths: Sequence[Dim], width: int, vector: int
) -> list[tuple[Sequence[Dim], int, bool]]:
    """(loops, multiple that a table is filled up to, whether it is of runs) of each table. Without runs along k there is no third one."""
    tables = [(lanes, width, False), (depths, 1, False)]
    return [*tables, (depths, 1, True)] if has_runs(depths, vector) else tables


def has_runs(depths: Sequence[Dim], vector: int) -> bool:
    """Whether enough elements of k lie side by side for squares."""
    return depths[-1].b == 1 and depths[-1].size >= vector // 2 > 1


def table_bytes(dims: Sequence[Dim], unit: int) -> int:
    """Of a table, rounded up to lines of the cache."""
    return whole(whole(count(dims), unit) * 4, 64)


def fill_table(f: FunctionText, table: str, dims: Sequence[Dim], unit: int, runs: bool) -> None:
    """B's offsets along some loops, outermost first, or (`runs`) how many elements are left in the innermost one; 0
    behind the last one, up to a multiple of `unit`."""

    def walk(rest: Sequence[Dim], index: str | int, number: str | int) -> None:
        if not rest:
            entry = f.op(f"arith.trunci {f.i64(number)} : i64 to {OFFSET}")
            f.store(entry, f.offset(table, index, OFFSET), OFFSET, 4)
            return
        dim, *inner = rest
        with f.loop(0, dim.size) as i:
            here = f.sub(dim.size, i) if runs else f.add(number, f.mul(i, dim.b))
            walk(inner, f.add(index, f.mul(i, count(inner))), here)

    walk(dims, 0, 0)
    size = count(dims)
    if size % unit:
        with f.loop(size, whole(size, unit)) as index:
            f.store(f.constant("0", OFFSET), f.offset(table, index, OFFSET), OFFSET, 4)


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
    with f.loop(0, "%depth") as k:
        _store_row(f, panel, load_extended(f, panel, _row_pointer(f, panel, start, k), panel.lanes), k, at)
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
    pointer = f.offset("%target", f.add(f.mul(k, panel.width), at), panel.element)
    f.store_vector(value, pointer, panel.lanes, panel.element)


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
    with f.loop(first, end) as k:
        if size in GATHERED:
            value = f.gather(_row_pointer(f, panel, "%source", k), offsets, panel.lanes, panel.source, size)
        else:
            value = _one_by_one(f, panel, starts, k)
        _store_row(f, panel, f.extended(value, panel.lanes, panel.source, panel.extend, panel.element), k, at)


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
    condition, body = f.fresh(), f.fresh()
    f.do(f"scf.while ({condition} = {f.i64(0)}) : (i64) -> i64 {{")
    f.do(f"scf.condition({f.compare('slt', condition, '%depth')}) {condition} : i64 }} do {{ ^bb0({body}: i64):")
    left = f.load(f.offset("%runs", body, OFFSET), OFFSET, 4)
    left = f.op(f"arith.extsi {left} : {OFFSET} to i64")
    length = f.min(f.min(left, f.sub("%depth", body)), lanes)
    f.do(f"scf.if {f.compare('sge', length, lanes // 2)} {{")
    mask = panel.mask(f, lanes, length)
    rows = [load_extended(f, panel, _row_pointer(f, panel, start, body), lanes, mask) for start in starts]
    for i, row in enumerate(transposed_words(f, panel, rows)):
        _store_row(f, panel, row, f.add(body, i), at)
    f.do("} else {")
    _gather_rows(f, panel, at, offsets, starts, body, f.add(body, length))
    f.do("}")
    f.do(f"scf.yield {f.add(body, length)} : i64 }}")
