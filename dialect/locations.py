"""From MLIR's locations to positions in files."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.errors import Diagnostic


def file_location(location: ir.Location) -> ir.Location | None:
    """The first position in a file that a location names, through names, fusions and inlined calls."""
    if location.is_a_file():
        return location
    if location.is_a_name():
        return file_location(location.child_loc)
    if location.is_a_callsite():
        return file_location(location.callee) or file_location(location.caller)
    if location.is_a_fused():
        found = map(file_location, location.locations)
        return next((position for position in found if position is not None), None)
    return None


def location_text(op: Any) -> str:
    """An op's location as `file:line:column`, "" where it names no file."""
    found = file_location(op.location)
    return "" if found is None else f"{found.filename}:{found.start_line}:{found.start_col}"


def location_name(op: Any) -> str:
    """The first name that an op's location gives (JAX: `jit(step)/dot_general`), "" without one."""
    return _name(op.location)


def _name(location: ir.Location) -> str:
    if location.is_a_name():
        return str(location.name_str)
    if location.is_a_callsite():
        return _name(location.callee) or _name(location.caller)
    if location.is_a_fused():
        return next(filter(None, map(_name, location.locations)), "")
    return ""


def diagnostic(op: Any, message: str) -> Diagnostic:
    """A finding about an op, at the op's location."""
    found = file_location(op.location)
    if found is None:
        return Diagnostic(message)
    return Diagnostic(message, str(found.filename), found.start_line, found.start_col)


def remark(op: Any, message: str) -> Diagnostic:
    """What was decided about an op, at the op's location."""
    found = diagnostic(op, message)
    return Diagnostic(found.message, found.file, found.line, found.column, severity="remark")
