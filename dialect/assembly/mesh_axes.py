"""Upstream's spelling of process groups on a mesh to the dictionaries that the IR holds (see hlo.dialect.mesh_axes).

#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>,
                                   axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>
{mesh = {axes = [{name = "x", size = 2 : i64}]}, axes = [{name = "x", pre_size = 1 : i64, size = 2 : i64}]}"""

from __future__ import annotations

import re
from collections.abc import Callable

from hlo.dialect.cursor import Unexpected, split_list

Convert = Callable[[str, int], str]
"""The inside of the angle brackets and its position in the file to a dictionary."""

_NESTED = re.compile(r"(?:#stablehlo\.\w+)?\s*<(.*)>", re.DOTALL)
_PART = re.compile(r"\(\s*(\d+)\s*\)\s*(\d+)")


def mesh_axis(inside: str, position: int) -> str:
    fields = _fields(inside, ("name", "size"), (), position)
    return f"{{name = {fields['name']}, size = {fields['size']} : i64}}"


def axis_reference(inside: str, position: int) -> str:
    fields = _fields(inside, ("name",), ("sub_axis_info",), position)
    if "sub_axis_info" not in fields:
        return f"{{name = {fields['name']}}}"
    part = _PART.fullmatch(fields["sub_axis_info"])
    if part is None:
        raise Unexpected("expected a part of an axis like (1)2", position)
    return f"{{name = {fields['name']}, pre_size = {part[1]} : i64, size = {part[2]} : i64}}"


def mesh(inside: str, position: int) -> str:
    fields = _fields(inside, ("axes",), ("device_ids",), position)
    devices = f", device_ids = {fields['device_ids']}" if "device_ids" in fields else ""
    return f"{{axes = {_list(fields['axes'], mesh_axis, position)}{devices}}}"


def replica_groups(inside: str, position: int) -> str:
    fields = _fields(inside, ("mesh", "axes"), (), position)
    written = fields["mesh"]
    held = written if written.startswith("@") else _nested(written, mesh, position)
    return f"{{mesh = {held}, axes = {_list(fields['axes'], axis_reference, position)}}}"


FORMS: dict[str, Convert] = {
    "mesh_axis": mesh_axis,
    "axis_ref": axis_reference,
    "mesh": mesh,
    "replica_group_mesh_axes": replica_groups,
}


def _fields(inside: str, required: tuple[str, ...], optional: tuple[str, ...], position: int) -> dict[str, str]:
    found = {}
    for item in split_list(inside):
        name, _, value = (part.strip() for part in item.partition("="))
        if name not in (*required, *optional) or name in found or not value:
            raise Unexpected(f"expected {', '.join((*required, *optional))}, each once, found '{item}'", position)
        found[name] = value
    missing = next((name for name in required if name not in found), None)
    if missing:
        raise Unexpected(f"expected '{missing} = ...'", position)
    return found


def _list(text: str, convert: Convert, position: int) -> str:
    if not (text.startswith("[") and text.endswith("]")):
        raise Unexpected(f"expected a list like [...], found '{text}'", position)
    return f"[{', '.join(_nested(item, convert, position) for item in split_list(text[1:-1]))}]"


def _nested(text: str, convert: Convert, position: int) -> str:
    """`#stablehlo.name<...>`, or `<...>` alone, which upstream prints inside of a list."""
    found = _NESTED.fullmatch(text)
    if found is None:
        raise Unexpected(f"expected an attribute like #stablehlo.mesh_axis<...>, found '{text}'", position)
    return convert(found[1], position)
