"""Shardy's spelling of meshes and shardings to the data model: `parse_sharding('<@mesh, [{"x"}, {?}]>')`.

Texts are those of attributes, with or without the name before the angle bracket (`#sdy.sharding<...>`). What does not
fit raises Unexpected, which says what was expected and what was found."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TypeVar

from hlo.dialect.cursor import INTEGER, STRING, Cursor
from hlo.dialect.sharding.model import AxisRef, DimensionSharding, Mesh, Sharding

_NAME = re.compile(r"@(?:[\w$.-]+|\"[^\"]*\")")
_WORD = re.compile(r"#?[\w.]*")
_PRIORITY = re.compile(r"p(\d{1,18})(?!\d)")
Item = TypeVar("Item")


@functools.lru_cache(1024)
def parse_mesh(text: str) -> Mesh:
    """`#sdy.mesh<["x"=2, "y"=4], device_ids=[3, 2, 1, 0, ...]>`."""
    cursor = _start(text)
    cursor.expect("<")
    mesh = _mesh(cursor)
    cursor.expect(">")
    _end(cursor)
    return mesh


@functools.lru_cache(4096)
def parse_sharding(text: str) -> Sharding:
    """`#sdy.sharding<@mesh, [{"x"}, {"y", ?}], replicated={"z"}>`."""
    cursor = _start(text)
    sharding = _sharding(cursor)
    _end(cursor)
    return sharding


@functools.lru_cache(4096)
def parse_shardings(text: str) -> tuple[Sharding, ...]:
    """`#sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"x"}]>]>`: one for each value."""
    cursor = _start(text)
    bracketed = cursor.accept("<")
    shardings = _list(cursor, "[", "]", _sharding)
    if bracketed:
        cursor.expect(">")
    _end(cursor)
    return tuple(shardings)


@functools.lru_cache(1024)
def parse_axes(text: str) -> tuple[str, ...]:
    """`#sdy<manual_axes{"x", "y"}>`: names of axes."""
    cursor = Cursor(text[text.index("{") if "{" in text else 0 :])
    return tuple(_list(cursor, "{", "}", _string))


def _start(text: str) -> Cursor:
    cursor = Cursor(text)
    cursor.match(_WORD, "an attribute")
    return cursor


def _end(cursor: Cursor) -> None:
    if cursor.peek():
        raise cursor.fail("the end of the attribute")


def _list(cursor: Cursor, opening: str, closing: str, item: Callable[[Cursor], Item]) -> list[Item]:
    cursor.expect(opening)
    found: list[Item] = []
    while not cursor.accept(closing):
        if found:
            cursor.expect(",")
        found.append(item(cursor))
    return found


def _mesh(cursor: Cursor) -> Mesh:
    axes = _list(cursor, "[", "]", _sized_axis)
    ids: list[int] = []
    if cursor.accept(","):
        cursor.expect_word("device_ids")
        cursor.expect("=")
        ids = _list(cursor, "[", "]", lambda c: int(c.integer()))
    return Mesh(tuple(axes), tuple(ids))


def _sized_axis(cursor: Cursor) -> tuple[str, int]:
    name = _string(cursor)
    cursor.expect("=")
    return name, int(cursor.match(INTEGER, "the size of the axis"))


def _string(cursor: Cursor) -> str:
    return cursor.match(STRING, "the name of an axis in quotes")[1:-1]


def _sharding(cursor: Cursor) -> Sharding:
    cursor.expect("<")
    mesh = cursor.match(_NAME, "the name of a mesh (@name)")[1:].strip('"')
    cursor.expect(",")
    dimensions = _list(cursor, "[", "]", _dimension)
    sets: dict[str, tuple[AxisRef, ...]] = {}
    while cursor.accept(","):
        name = next((n for n in ("replicated", "unreduced") if n not in sets and cursor.accept_word(n)), None)
        if name is None:
            raise cursor.fail("'replicated' or 'unreduced'")
        cursor.expect("=")
        sets[name] = tuple(_list(cursor, "{", "}", _axis))
    cursor.expect(">")
    return Sharding(mesh, tuple(dimensions), **sets)


def _dimension(cursor: Cursor) -> DimensionSharding:
    cursor.expect("{")
    axes: list[AxisRef] = []
    is_open = False
    while not cursor.accept("}"):
        if axes:
            cursor.expect(",")
        is_open = cursor.accept("?")
        if is_open:
            cursor.expect("}")
            break
        axes.append(_axis(cursor))
    found = _PRIORITY.match(cursor.text, cursor.position)
    if found:
        cursor.position = found.end()
    return DimensionSharding(tuple(axes), is_open, int(found[1]) if found else 0)


def _axis(cursor: Cursor) -> AxisRef:
    name = _string(cursor)
    if not cursor.accept(":"):
        return AxisRef(name)
    cursor.expect("(")
    pre_size = int(cursor.match(INTEGER, "the size of what comes before this part of the axis"))
    cursor.expect(")")
    return AxisRef(name, pre_size, int(cursor.match(INTEGER, "the size of this part of the axis")))
