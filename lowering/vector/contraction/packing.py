"""Packing a block of an operand into panels that the micro-kernel walks contiguously.

    [panel][depth / group][width][group]     "lanes", "words": each k has its `width` words next to each other
    [panel][width][depth]                    "rows":           each row keeps its own walk (of A only)
    [panel][depth / row][width][row]         "rows", "turned": of tiles, whose rows have so many elements (of A only)

A word is `group` elements along the contracted dimension: 1, or what a dot-product instruction takes at once. A panel
holds `block` elements a row at most, block a multiple of a vector; what is behind the depth is zero up to a whole word."""

from __future__ import annotations

from dataclasses import replace

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.vector.contraction.function_text import (
    POINTER,
    External,
    FunctionText,
    byte_size,
    dot_product,
    parts_of,
    transposed,
    vector_type,
)

ARGUMENTS = [("source", POINTER), ("target", POINTER), ("depth", "i64"), ("columns", "i64")]
STRIDE = "%stride"
"""The source's stride along the panel or along the contracted dimension, whichever is not 1."""
TABLES = [("lanes", POINTER), ("depths", POINTER), ("runs", POINTER)]
"""Of offsets along n and k, and of runs (`gather_packing.py`)."""
OFFSET = "i32"

ROWS = 8
"""Rows of a source contiguous along the width that are packed together, from end to end: a panel at a time would read a few bytes of
each of its rows, most on pages of their own."""
AHEAD = 4
"""Squares that are fetched ahead when words are transposed: each of their rows is another stream of memory."""


@dataclass(frozen=True)
class Panel:
    """`across`, `along`: the source's strides along the panel's width and along the contracted dimension. `rest`: what
    is left of the whole depth when words are taken. `runs`: the table of runs is read. `flip`: the sign bit is flipped
    (i8 as u8 + 128). `header`: words in front of each panel, for -128 times the sums of its columns, which undo that.
    `source`: the element type of what is packed; `extend`: the op from there to that of the panels, "" when equal.
    `whole`: words that are read at once; those behind the depth are zero. Complex numbers are elements, whose parts
    stay side by side."""

    kind: str
    element: str
    width: int
    lanes: int
    group: int = 1
    block: int = 0
    across: int = 0
    along: int = 0
    rest: int = 0
    flip: bool = False
    header: bool = False
    source: str = ""
    extend: str = ""
    whole: int = 1
    runs: bool = False

    @property
    def arguments(self) -> list[tuple[str, str]]:
        """Of the code of one panel."""
        return [*ARGUMENTS, *(TABLES if self.kind == "gather" else [(STRIDE[1:], "i64")])]

    @property
    def stride(self) -> int:
        return self.across if self.along == 1 else self.along

    def of_any_shape(self) -> Panel:
        """What the code of one panel depends on."""
        block = self.block if self.kind == "rows" and self.whole == 1 else 0
        return replace(self, block=block, across=0, along=0)

    @property
    def step(self) -> int:
        """Elements from a column's start to the next one's, when panels lie one behind the other."""
        return self.block + (4 if self.header else 0)

    @property
    def bytes(self) -> int:
        return self.width * self.step * byte_size(self.element)

    @property
    def vector(self) -> str:
        return vector_type(self.lanes * self.group, self.element)

    def mask(self, f: FunctionText, count: int, there: str | int) -> str:
        """Of so many elements, as far as they are there."""
        parts = parts_of(self.element)
        return f.mask(count * parts, f.mul(there, parts))


def pack_block(name: str, panel: Panel, one: External) -> FunctionText:
    """(source, target, depth, columns): packs columns / width panels, the last one perhaps in part. `one`: the code of
    one panel. If that is packed from tables, their addresses are more arguments; that along n moves from panel to
    panel, the source does not."""
    tables = panel.kind == "gather"
    f = FunctionText(name, [*ARGUMENTS, *(TABLES if tables else [])])

    def pack_rows(k: str | int, depth: str | int) -> None:
        with f.loop(0, "%columns", panel.width) as column:
            start = 0 if tables else f.add(f.mul(column, panel.across), f.mul(k, panel.along))
            source = f.offset("%source", start, panel.source)
            target = f.offset("%target", f.add(f.mul(column, panel.step), f.mul(k, panel.width)), panel.element)
            more = [f.offset("%lanes", column, OFFSET), "%depths", "%runs"] if tables else [panel.stride]
            f.call(one, source, target, depth, f.sub("%columns", column), *more)

    if _may_pack_rows_together(panel):
        together = max(ROWS, panel.whole * panel.group)
        with f.loop(0, "%depth", together) as k:
            pack_rows(k, f.min(f.sub("%depth", k), together))
    else:
        pack_rows(0, "%depth")
    return f


def _may_pack_rows_together(panel: Panel) -> bool:
    """Whether neither sums over the whole depth are needed nor stores pass the panel's width, and thus into the next panel."""
    return panel.kind == "lanes" and not panel.header and panel.width % panel.lanes == 0


def load_extended(f: FunctionText, panel: Panel, pointer: str, count: int, mask: str | None = None) -> str:
    """Elements of the source that are contiguous, as the panel has them; masked ones are zero."""
    value = f.load_vector(pointer, count, panel.source, mask)
    return f.extended(value, count, panel.source, panel.extend, panel.element)


def _store_words(f: FunctionText, panel: Panel, value: str, start: str, index: str | int) -> None:
    """A vector of words, so many elements behind the start."""
    pointer = f.offset(start, index, panel.element)
    if panel.flip:
        value = f.op(f"arith.xori {value}, {f.constant('dense<-128>', panel.vector)} : {panel.vector}")
    f.store_vector(value, pointer, panel.lanes * panel.group, panel.element)


# ---- rows: straight copies


def _place_in_rows(f: FunctionText, panel: Panel, row: str | int, k: str | int) -> str | int:
    """Where a vector of a row is, in elements; k is a whole number of vectors."""
    if panel.whole == 1:
        return f.add(f.mul(row, panel.block), k)
    return f.add(f.mul(row, panel.lanes * panel.group), f.mul(k, panel.width))


def _pack_rows(f: FunctionText, panel: Panel) -> None:
    count = panel.lanes * panel.group
    main = f.mul(f.quotient("%depth", count), count)
    mask = panel.mask(f, count, f.sub("%depth", main))
    with f.loop(0, f.min("%columns", panel.width)) as row:
        source = f.offset("%source", f.mul(row, STRIDE), panel.source)

        def copy(k: str | int, mask: str | None) -> None:
            value = load_extended(f, panel, f.offset(source, k, panel.source), count, mask)
            _store_words(f, panel, value, "%target", _place_in_rows(f, panel, row, k))

        with f.loop(0, main, count) as k:
            copy(k, None)
        with f.when(f.compare("slt", main, "%depth")):
            copy(main, mask)


# ---- lanes: the source is contiguous along the panel


def _pack_lanes(f: FunctionText, panel: Panel) -> None:
    """Whole panels without masks; the others read what there is. A store may pass the panel's width: the next one writes
    there again (and behind the last there is room)."""
    wide = -(-panel.width // panel.lanes) * panel.lanes
    f.do(f"scf.if {f.compare('sge', '%columns', wide)} {{")
    _walk_lanes(f, panel, None)
    f.do("} else {")
    _walk_lanes(
        f, panel, [panel.mask(f, panel.lanes, f.sub("%columns", at)) for at in range(0, panel.width, panel.lanes)]
    )
    f.do("}")


def _walk_lanes(f: FunctionText, panel: Panel, masks: list[str] | None) -> None:
    group, starts, kind = panel.group, range(0, panel.width, panel.lanes), _sum_type(panel)
    main = f.mul(f.quotient("%depth", group), group)

    def words(k: str | int, count: int, sums: list[str]) -> list[str]:
        new = []
        for n, at in enumerate(starts):
            word = _word_of_rows(f, panel, k, at, count, masks[n] if masks else None)
            _store_words(f, panel, word, _body(f, panel), f.add(f.mul(k, panel.width), at * group))
            new += [_add_up(f, panel, word, sums[n])] if sums else []
        return new

    sums = [(f.zero(kind), kind) for _ in starts] if panel.header else []
    totals = f.fold(0, main, group, sums, lambda k, values: words(k, group, values))
    if panel.rest:
        there = f.compare("slt", main, "%depth")
        totals = f.choose(there, lambda: words(main, panel.rest, totals), lambda: totals, kind)
    for n, total in enumerate(totals):
        _store_sum(f, panel, n * panel.lanes, total)
    if panel.whole > 1:
        _clear_rest(f, panel)


def _clear_rest(f: FunctionText, panel: Panel) -> None:
    """Zero words behind the depth, up to a whole number of those that are read at once."""
    group, unit = panel.group, panel.whole * panel.group
    start = f.mul(f.quotient(f.add("%depth", group - 1), group), group)
    with f.loop(start, f.mul(f.quotient(f.add("%depth", unit - 1), unit), unit), group) as k:
        for at in range(0, panel.width, panel.lanes):
            target = f.add(f.mul(k, panel.width), at * group)
            _store_words(f, panel, f.zero(panel.vector), _body(f, panel), target)


def _word_of_rows(f: FunctionText, panel: Panel, k: str | int, at: int, count: int, mask: str | None) -> str:
    """The words of `lanes` columns: element k of each, then its k + 1, ...; missing ones are zero."""
    rows = []
    for g in range(panel.group):
        if g >= count:
            rows.append(f.zero(f"vector<{panel.lanes}x{panel.element}>"))
            continue
        pointer = f.offset("%source", f.add(f.mul(f.add(k, g), STRIDE), at), panel.source)
        rows.append(load_extended(f, panel, pointer, panel.lanes, mask))
    return interleaved(f, rows, panel)


def interleaved(f: FunctionText, rows: list[str], panel: Panel) -> str:
    """a0 b0 c0 d0 a1 b1 ... of rows a, b, c, d: pairs (a, c) and (b, d) first, then the pairs of those."""
    length = panel.lanes
    while len(rows) > 1:
        half = len(rows) // 2
        order = [i // 2 + length * (i % 2) for i in range(2 * length)]
        kind = f"vector<{length}x{panel.element}>"
        rows = [f.op(f"vector.shuffle {rows[i]}, {rows[i + half]} {order} : {kind}, {kind}") for i in range(half)]
        length *= 2
    return rows[0]


# ---- turned: the source is contiguous along the panel, the panel along the contracted dimension


def _pack_turned(f: FunctionText, panel: Panel) -> None:
    """Squares of lanes x lanes words, transposed in registers. What is behind the depth, or the columns, is zero."""
    count = panel.lanes * panel.group
    with f.loop(0, f.min("%columns", panel.width), panel.lanes) as at, f.loop(0, "%depth", count) as k:
        words = [_word_at(f, panel, at, f.add(k, i * panel.group)) for i in range(panel.lanes)]
        for i, row in enumerate(transposed_words(f, panel, words)):
            _store_words(f, panel, row, "%target", _place_in_rows(f, panel, f.add(at, i), k))


def _word_at(f: FunctionText, panel: Panel, at: str | int, k: str | int) -> str:
    """The words at a depth of `lanes` columns, as far as there are any."""
    rows = []
    for g in range(panel.group):
        there = f.min(f.sub("%columns", at), f.mul(f.sub("%depth", f.add(k, g)), panel.lanes))
        pointer = f.offset("%source", f.add(f.mul(f.add(k, g), STRIDE), at), panel.source)
        rows.append(load_extended(f, panel, pointer, panel.lanes, f.mask(panel.lanes, there)))
    return interleaved(f, rows, panel)


# ---- words: the source is contiguous along the contracted dimension


def _pack_words(f: FunctionText, panel: Panel) -> None:
    """Squares of lanes x lanes words, transposed in registers. Columns that are not there are read from the last one.

    The code of a square is long: where masks cost nothing it is written once, with masks; else again for the last depths."""
    assert panel.width % panel.lanes == 0
    count, kind = panel.lanes * panel.group, _sum_type(panel)
    masked = _has_free_masks(panel)
    main = "%depth" if masked else f.mul(f.quotient("%depth", count), count)
    last = f.sub("%columns", 1)
    with f.loop(0, panel.width, panel.lanes) as at:
        rows = [f.mul(f.min(f.add(at, i), last), STRIDE) for i in range(panel.lanes)]
        square = lambda k, totals, masked: _pack_square(f, panel, (at, k), rows, totals, masked)
        sums = [(f.zero(kind), kind)] if panel.header else []
        totals = f.fold(0, main, count, sums, lambda k, values: square(k, values, masked))
        if not masked:
            there = f.compare("slt", main, "%depth")
            totals = f.choose(there, lambda: square(main, totals, True), lambda: totals, kind)
        for total in totals:
            _store_sum(f, panel, at, total)


def _has_free_masks(panel: Panel) -> bool:
    """Vectors of 512 bits have mask registers."""
    return panel.lanes * panel.group * byte_size(panel.element) == 64


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
    mask = panel.mask(f, count, f.sub("%depth", k)) if masked else None
    source = [f.offset("%source", f.add(row, k), panel.source) for row in rows]
    for pointer in source:
        f.prefetch(f.offset(pointer, AHEAD * count, panel.source))
    words = transposed_words(f, panel, [load_extended(f, panel, s, count, mask) for s in source])
    target = f.offset(_body(f, panel), f.add(f.mul(k, panel.width), f.mul(at, panel.group)), panel.element)
    for i, word in enumerate(words):
        _store_words(f, panel, word, target, i * panel.width * panel.group)
        totals = [_add_up(f, panel, word, total) for total in totals]
    return totals


def transposed_words(f: FunctionText, panel: Panel, rows: list[str]) -> list[str]:
    """n vectors of n words as their columns."""
    word, parts = vector_type(panel.lanes, panel.element), parts_of(panel.element)
    if panel.group > 1:
        word = f"vector<{panel.lanes}xi{8 * panel.group * byte_size(panel.element)}>"
        rows = [f.op(f"vector.bitcast {r} : {panel.vector} to {word}") for r in rows]

    def shuffle(a: str, b: str, order: list[int]) -> str:
        every = [index * parts + part for index in order for part in range(parts)]
        return f.fenced(f.op(f"vector.shuffle {a}, {b} {every} : {word}, {word}"), word)

    rows = transposed(rows, shuffle)
    return rows if panel.group == 1 else [f.op(f"vector.bitcast {r} : {word} to {panel.vector}") for r in rows]


# ---- the header: what the flipped signs of the other operand add


def _sum_type(panel: Panel) -> str:
    return f"vector<{panel.lanes}xi32>"


def _add_up(f: FunctionText, panel: Panel, word: str, total: str) -> str:
    """total + 128 times the sum of each word's elements."""
    ones = f.constant("dense<-128>", panel.vector)
    return dot_product(f, panel.lanes, panel.element, total, ones, word)


def _store_sum(f: FunctionText, panel: Panel, at: str | int, total: str) -> None:
    kind = _sum_type(panel)
    f.store(f.op(f"arith.subi {f.zero(kind)}, {total} : {kind}"), f.offset("%target", at, "i32"), kind, 4)


def _body(f: FunctionText, panel: Panel) -> str:
    """Where the panel's words begin."""
    return f.offset("%target", panel.width if panel.header else 0, "i32")


KINDS = {"rows": _pack_rows, "lanes": _pack_lanes, "words": _pack_words, "turned": _pack_turned}
