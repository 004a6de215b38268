"""Shapes: `f32[2,3]{1,0}`, `s32[]`, `token[]`, `(f32[2], pred[])`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from mlir import ir

from hlo.dialect.hlo_text.cursor import MAX_NESTING, Cursor
from hlo.dialect.types import DYNAMIC, tensor
from hlo.lazy_dataclasses import dataclass

ELEMENTS = {
    "pred": "i1",
    **{f"s{n}": f"i{n}" for n in (2, 4, 8, 16, 32, 64)},
    **{f"u{n}": f"ui{n}" for n in (2, 4, 8, 16, 32, 64)},
    **{name: name for name in ("bf16", "f16", "f32", "f64")},
    "c64": "complex<f32>",
    "c128": "complex<f64>",
    **{
        f"f{bits}{name.lower()}": f"f{bits}{name}"
        for bits, names in (
            (8, ("E3M4", "E4M3", "E4M3FN", "E4M3FNUZ", "E4M3B11FNUZ", "E5M2", "E5M2FNUZ", "E8M0FNU")),
            (4, ("E2M1FN",)),
        )
        for name in names
    },
}
"""MLIR's name of each element type."""

TOKEN = "token"
MAX_RANK = 256


@dataclass(frozen=True)
class Shape:
    """An array (`element` and `sizes`), a token, or a tuple (`members`). `bounds`: the largest size of each dimension whose size is
    known at run time only, None for the others. `layout`: dimensions from minor to major, None where it is not written; `is_tiled`:
    whether the layout says more than an order."""

    element: str = ""
    sizes: tuple[int, ...] = ()
    bounds: tuple[int | None, ...] = ()
    layout: tuple[int, ...] | None = None
    is_tiled: bool = False
    members: tuple[Shape, ...] | None = None

    @property
    def minor_to_major(self) -> tuple[int, ...]:
        return tuple(reversed(range(len(self.sizes)))) if self.layout is None else self.layout

    def leaves(self) -> Iterator[Shape]:
        """The arrays and tokens, tuples opened."""
        if self.members is None:
            yield self
            return
        for member in self.members:
            yield from member.leaves()

    def type(self) -> ir.Type:
        """The type of an array or a token, in the current context."""
        if self.element == TOKEN:
            return ir.Type.parse("!stablehlo.token")
        sizes = [DYNAMIC if bound is not None else size for size, bound in zip(self.sizes, self.bounds)]
        encoding = None
        if any(bound is not None for bound in self.bounds):
            limits = [DYNAMIC if bound is None else bound for bound in self.bounds]
            encoding = ir.DictAttr.get({"bounds": ir.DenseI64ArrayAttr.get(limits)})
        return tensor(sizes, ir.Type.parse(ELEMENTS[self.element]), encoding)


_ARRAY = re.compile(r"([a-z][a-z0-9]*)\[([^\[\]{}]*)\]")
_SIZE = re.compile(r"\s*(<=)?\s*(\d{1,19})\s*")
_LAYOUT = re.compile(r"\{([\s\d,]*)(:[^{}]*)?\}")


def parse_shape(cursor: Cursor, depth: int = 0) -> Shape:
    cursor.skip_blank()
    if not cursor.take("("):
        return _array(cursor)
    if depth > MAX_NESTING:
        cursor.fail(f"tuples nested at most {MAX_NESTING} deep, found more")
    members: list[Shape] = []
    while not cursor.take(")"):
        if members:
            cursor.expect(",", ", or ) after a shape")
        members.append(parse_shape(cursor, depth + 1))
    return Shape(members=tuple(members))


def _array(cursor: Cursor) -> Shape:
    start = cursor.position
    found = _ARRAY.match(cursor.text, start)
    if not found:
        cursor.fail("a shape (f32[2,3], or a tuple of shapes)")
    if found[1] not in ELEMENTS and found[1] != TOKEN:
        cursor.fail(f"an element type of {', '.join([*ELEMENTS, TOKEN])}, found {found[1]}", start)
    sizes, bounds = _sizes(cursor, found[2], found.start(2))
    if found[1] == TOKEN and sizes:
        cursor.fail(f"token[], found {found[0]}", start)
    cursor.position = found.end()
    layout = _LAYOUT.match(cursor.text, cursor.position)
    if not layout:
        return Shape(found[1], sizes, bounds)
    cursor.position = layout.end()
    order = tuple(map(int, re.findall(r"\d{1,9}", layout[1])))
    if order and sorted(order) != list(range(len(sizes))):
        cursor.fail(f"a layout that orders {len(sizes)} dimensions, found {layout[0]}", layout.start())
    return Shape(found[1], sizes, bounds, order or None, bool(layout[2]))


def _sizes(cursor: Cursor, text: str, position: int) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    sizes: list[int] = []
    bounds: list[int | None] = []
    for part in text.split(",") if text.strip() else ():
        size = _SIZE.fullmatch(part)
        if not size:
            cursor.fail(f"the size of a dimension (3, or <=3), found {part.strip()!r}", position)
        sizes.append(int(size[2]))
        bounds.append(int(size[2]) if size[1] else None)
    if len(sizes) > MAX_RANK:
        cursor.fail(f"at most {MAX_RANK} dimensions, found {len(sizes)}", position)
    if prod(max(size, 1) for size in sizes) >= 2**63:
        cursor.fail(f"fewer than 2^63 elements, found [{text}]", position)
    return tuple(sizes), tuple(bounds)
