"""Packing a block of an operand into panels that the micro-kernel walks contiguously.

    [panel][depth / group][width][group]     "lanes", "words": each k has its `width` words next to each other
    [panel][width][depth]                    "rows":           each row keeps its own walk (of A only)

A word is `group` elements along the contracted dimension: 1, or what a dot-product instruction takes at once. A panel
holds `block` elements a row at most, block a multiple of a vector; what is behind the depth is zero up to a whole word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hlo.lowering.vector.contraction.function_text import POINTER, FunctionText, byte_size, dot_product, transposed

ARGUMENTS = [("source", POINTER), ("target", POINTER), ("depth", "i64"), ("columns", "i64")]


AHEAD = 4
"""Squares that are fetched ahead when words are transposed: each of their rows is another stream of memory."""


@dataclass(frozen=True)
class Panel:
    """`across`, `along`: the source's strides along the panel's width and along the contracted dimension. `rest`: what is
    left of the whole depth when words are taken. `flip`: the sign bit is flipped (i8 as u8 + 128). `header`: words in
    front of each panel, for -128 times the sums of its columns, which undo that. `source`: the element type of what is packed; `extend`:
    the op from there to that of the panels, "" when equal."""

    element: str
    width: int
    lanes: int
    group: int
    block: int
    across: int
    along: int
    kind: str
    rest: int = 0
    flip: bool = False
    header: bool = False
    source: str = ""
    extend: str = ""

    @property
    def step(self) -> int:
        """Elements from a column's start to the next one's, when panels lie one behind the other."""
        return self.block + (4 if self.header else 0)

    @property
    def bytes(self) -> int:
        return self.width * self.step * byte_size(self.element)

    @property
    def vector(self) -> str:
        return f"vector<{self.lanes * self.group}x{self.element}>"


def pack_block(name: str, panel: Panel) -> list[FunctionText]:
    """(source, target, depth, columns): packs columns / width panels, the last one perhaps in part."""
    one = FunctionText(f"{name}.panel", ARGUMENTS)
    KINDS[panel.kind](one, panel)
    f = FunctionText(name, ARGUMENTS)
    with f.loop(0, "%columns", panel.width) as column:
        source = f.offset("%source", f.mul(column, panel.across), panel.source)
        target = f.offset("%target", f.mul(column, panel.step), panel.element)
        f.call(one, source, target, "%depth", f.sub("%columns", column))
    return [one, f]


def load_extended(f: FunctionText, panel: Panel, pointer: str, count: int, mask: str | None = None) -> str:
    """Elements of the source that are contiguous, as the panel has them; masked ones are zero."""
    return extended(f, panel, f.load_vector(pointer, count, panel.source, mask), count)


def extended(f: FunctionText, panel: Panel, value: str, count: int) -> str:
    """A vector of the source's elements, as the panel has them."""
    types = f"vector<{count}x{panel.source}> to vector<{count}x{panel.element}>"
    return f.op(f"{panel.extend} {value} : {types}") if panel.extend else value


# ---- rows: straight copies


def _pack_rows(f: FunctionText, panel: Panel) -> None:
    count, size = panel.lanes * panel.group, byte_size(panel.element)
    main = f.mul(f.quotient("%depth", count), count)
    mask = f.mask(count, f.sub("%depth", main))
    with f.loop(0, f.min("%columns", panel.width)) as row:
        source = f.offset("%source", f.mul(row, panel.across), panel.source)
        target = f.offset("%target", f.mul(row, panel.block), panel.element)
        with f.loop(0, main, count) as k:
            value = load_extended(f, panel, f.offset(source, k, panel.source), count)
            f.store(_flipped(f, panel, value), f.offset(target, k, panel.element), panel.vector, size)
        with f.when(f.compare("slt", main, "%depth")):
            value = load_extended(f, panel, f.offset(source, main, panel.source), count, mask)
            f.store(_flipped(f, panel, value), f.offset(target, main, panel.element), panel.vector, size)


def _flipped(f: FunctionText, panel: Panel, value: str) -> str:
    if not panel.flip:
        return value
    sign = f.constant("dense<-128>", panel.vector)
    return f.op(f"arith.xori {value}, {sign} : {panel.vector}")


# ---- lanes: the source is contiguous along the panel


def _pack_lanes(f: FunctionText, panel: Panel) -> None:
    """Whole panels without masks; the others read what there is. A store may pass the panel's width: the next one writes
    there again (and behind the last there is room)."""
    wide = -(-panel.width // panel.lanes) * panel.lanes
    f.do(f"scf.if {f.compare('sge', '%columns', wide)} {{")
    _walk_lanes(f, panel, None)
    f.do("} else {")
    _walk_lanes(f, panel, [f.mask(panel.lanes, f.sub("%columns", at)) for at in range(0, panel.width, panel.lanes)])
    f.do("}")


def _walk_lanes(f: FunctionText, panel: Panel, masks: list[str] | None) -> None:
    group, starts = panel.group, range(0, panel.width, panel.lanes)
    main = f.mul(f.quotient("%depth", group), group)
    sums = [(f.zero(_sum_type(panel)), _sum_type(panel)) for _ in starts] if panel.header else []

    def words(k: str | int, count: int, sums: list[str]) -> list[str]:
        new = []
        for n, at in enumerate(starts):
            word = _word_of_rows(f, panel, k, at, count, masks[n] if masks else None)
            pointer = f.offset(_body(f, panel), f.add(f.mul(k, panel.width), at * group), panel.element)
            f.store(_flipped(f, panel, word), pointer, panel.vector, byte_size(panel.element))
            new += [_add_up(f, panel, word, sums[n])] if sums else []
        return new

    if sums:
        totals = f.fold(0, main, group, sums, lambda k, values: words(k, group, values))
        more = lambda: words(main, panel.rest, totals)
        there = f.compare("slt", main, "%depth")
        _store_sums(f, panel, f.choose(there, more, lambda: totals, _sum_type(panel)) if panel.rest else totals)
        return
    with f.loop(0, main, group) as k:
        words(k, group, [])
    if panel.rest:
        with f.when(f.compare("slt", main, "%depth")):
            words(main, panel.rest, [])


def _word_of_rows(f: FunctionText, panel: Panel, k: str | int, at: int, count: int, mask: str | None) -> str:
    """The words of `lanes` columns: element k of each, then its k + 1, ...; missing ones are zero."""
    rows = []
    for g in range(panel.group):
        if g >= count:
            rows.append(f.zero(f"vector<{panel.lanes}x{panel.element}>"))
            continue
        pointer = f.offset("%source", f.add(f.mul(f.add(k, g), panel.along), at), panel.source)
        rows.append(load_extended(f, panel, pointer, panel.lanes, mask))
    return _interleaved(f, rows, panel)


def _interleaved(f: FunctionText, rows: list[str], panel: Panel) -> str:
    """a0 b0 c0 d0 a1 b1 ... of rows a, b, c, d: pairs (a, c) and (b, d) first, then the pairs of those."""
    length = panel.lanes
    while len(rows) > 1:
        half = len(rows) // 2
        order = [i // 2 + length * (i % 2) for i in range(2 * length)]
        kind = f"vector<{length}x{panel.element}>"
        rows = [f.op(f"vector.shuffle {rows[i]}, {rows[i + half]} {order} : {kind}, {kind}") for i in range(half)]
        length *= 2
    return rows[0]


# ---- words: the source is contiguous along the contracted dimension


def _pack_words(f: FunctionText, panel: Panel) -> None:
    """Squares of lanes x lanes words, transposed in registers. Columns that are not there are read from the last one.

    The code of a square is long: where masks cost nothing it is written once, with masks; else again for the last depths."""
    assert panel.width % panel.lanes == 0
    count, kind = panel.lanes * panel.group, _sum_type(panel)
    main = "%depth" if _has_free_masks(panel) else f.mul(f.quotient("%depth", count), count)
    last = f.sub("%columns", 1)
    with f.loop(0, panel.width, panel.lanes) as at:
        rows = [f.mul(f.min(f.add(at, i), last), panel.across) for i in range(panel.lanes)]
        square = lambda k, totals, masked: _pack_square(f, panel, (at, k), rows, totals, masked)
        sums = [(f.zero(kind), kind)] if panel.header else []
        if sums:
            totals = f.fold(0, main, count, sums, lambda k, values: square(k, values, main == "%depth"))
        else:
            totals = []
            with f.loop(0, main, count) as k:
                square(k, [], main == "%depth")
        if main != "%depth":
            totals = _rest_of_square(f, kind, main, totals, square)
        if sums:
            _store_sum(f, panel, at, totals[0])


def _has_free_masks(panel: Panel) -> bool:
    """Vectors of 512 bits have mask registers."""
    return panel.lanes * panel.group * byte_size(panel.element) == 64


def _rest_of_square(
    f: FunctionText, kind: str, main: str | int, totals: list[str], square: Callable[..., list[str]]
) -> list[str]:
    there = f.compare("slt", main, "%depth")
    if totals:
        return f.choose(there, lambda: square(main, totals, True), lambda: totals, kind)
    with f.when(there):
        square(main, [], True)
    return []


def _pack_square(
    f: FunctionText,
    panel: Panel,
    start: tuple[str | int, str | int],
    rows: list[str | int],
    totals: list[str],
    masked: bool,
) -> list[str]:
    """The square at (column, depth); returns the sums of its columns added to `totals`, if there are any."""
    at, k = start
    count = panel.lanes * panel.group
    mask = f.mask(count, f.sub("%depth", k)) if masked else None
    source = [f.offset("%source", f.add(row, k), panel.source) for row in rows]
    for pointer in source:
        f.prefetch(f.offset(pointer, AHEAD * count, panel.source))
    words = transposed_words(f, panel, [load_extended(f, panel, s, count, mask) for s in source])
    target = f.offset(_body(f, panel), f.add(f.mul(k, panel.width), f.mul(at, panel.group)), panel.element)
    for i, word in enumerate(words):
        pointer = f.offset(target, i * panel.width * panel.group, panel.element)
        f.store(word, pointer, panel.vector, byte_size(panel.element))
        totals = [_add_up(f, panel, word, total) for total in totals]
    return totals


def transposed_words(f: FunctionText, panel: Panel, rows: list[str]) -> list[str]:
    """n vectors of n words as their columns."""
    word = f"vector<{panel.lanes}x{panel.element}>"
    if panel.group > 1:
        word = f"vector<{panel.lanes}xi{8 * panel.group * byte_size(panel.element)}>"
        rows = [f.op(f"vector.bitcast {r} : {panel.vector} to {word}") for r in rows]
    rows = transposed(
        rows, lambda a, b, order: f.fenced(f.op(f"vector.shuffle {a}, {b} {order} : {word}, {word}"), word)
    )
    return rows if panel.group == 1 else [f.op(f"vector.bitcast {r} : {word} to {panel.vector}") for r in rows]


# ---- the header: what the flipped signs of the other operand add


def _sum_type(panel: Panel) -> str:
    return f"vector<{panel.lanes}xi32>"


def _add_up(f: FunctionText, panel: Panel, word: str, total: str) -> str:
    """total + 128 times the sum of each word's elements."""
    ones = f.constant("dense<-128>", panel.vector)
    return dot_product(f, panel.lanes, panel.element, total, ones, word)


def _store_sums(f: FunctionText, panel: Panel, totals: list[str]) -> None:
    for n, total in enumerate(totals):
        _store_sum(f, panel, n * panel.lanes, total)


def _store_sum(f: FunctionText, panel: Panel, at: str | int, total: str) -> None:
    kind = _sum_type(panel)
    f.store(f.op(f"arith.subi {f.zero(kind)}, {total} : {kind}"), f.offset("%target", at, "i32"), kind, 4)


def _body(f: FunctionText, panel: Panel) -> str:
    """Where the panel's words begin."""
    return f.offset("%target", panel.width if panel.header else 0, "i32")


KINDS = {"rows": _pack_rows, "lanes": _pack_lanes, "words": _pack_words}
