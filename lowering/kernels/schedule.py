"""The attribute `hlo.schedule` of a CPU kernel: what was decided about how it runs, one field a decision (docs/kernels.md).

The pass `schedule-kernels` writes it from dataclasses; emitters read it back into the same classes, each field of which is checked
against the kernel and the processor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, TypeVar

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError

SCHEDULE = "hlo.schedule"


class ScheduleError(Exception):
    """A field of a schedule that is not allowed, with what was found and what is allowed."""

    def __init__(self, field: str, found: Any, allowed: str):
        super().__init__(f"{field}: found {found}, allowed: {allowed}")


@contextmanager
def refused_at(kernel: Any) -> Iterator[None]:
    """A ScheduleError inside is a CompileError at the kernel's location."""
    try:
        yield
    except ScheduleError as error:
        raise CompileError(diagnostic(kernel, f"kernel @{kernel.name.value}: {SCHEDULE}: {error}")) from None


@contextmanager
def said_of(part: str) -> Iterator[None]:
    """A ScheduleError inside names the part of the schedule that it is about."""
    try:
        yield
    except ScheduleError as error:
        error.args = (f"{part}.{error.args[0]}",)
        raise


def schedule_of(kernel: Any) -> ir.Attribute:
    """The attribute of a kernel. Raises ScheduleError where it has none."""
    attributes = kernel.operation.attributes
    if SCHEDULE not in attributes:
        raise ScheduleError("schedule", "nothing", "what the pass schedule-kernels writes")
    return attributes[SCHEDULE]


def spelled(value: Any) -> str:
    """A value of a field as the text of the IR has it, without the type of integers."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def attribute_of(values: Any) -> ir.Attribute:
    """A schedule (or a part of one, which may be an attribute already) as an attribute; call it in a context."""
    if isinstance(values, ir.Attribute):
        return values
    if isinstance(values, bool):
        return ir.BoolAttr.get(values)
    if isinstance(values, int):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), values)
    if isinstance(values, str):
        return ir.StringAttr.get(values)
    if isinstance(values, Mapping):
        return ir.DictAttr.get({name: attribute_of(value) for name, value in values.items()})
    if isinstance(values, (list, tuple)):
        return ir.ArrayAttr.get([attribute_of(value) for value in values])
    return attribute_of({f.name: getattr(values, f.name) for f in fields(values)})


TYPES = {
    "int": "an integer",
    "bool": "true or false",
    "str": "a string",
    "list": "a list",
    "tuple": "a list of integers",
}


def read_fields(attribute: ir.Attribute, types: Mapping[str, str]) -> dict[str, Any]:
    """The values of a dictionary's fields; `types` has the names of all of them, and of their types. Raises ScheduleError for a field
    that is missing, unknown, or of another type."""
    if not isinstance(attribute, ir.DictAttr):
        raise ScheduleError("schedule", attribute, f"a dictionary of {', '.join(types)}")
    found = {named.name: named.attr for named in attribute}
    for name in found.keys() - types.keys():
        raise ScheduleError(name, found[name], f"the fields {', '.join(types)}")
    for name in types:
        if name not in found:
            raise ScheduleError(name, "nothing", TYPES[types[name]])
    return {name: _value(name, found[name], kind) for name, kind in types.items()}


S = TypeVar("S")


def types_of(kind: type) -> dict[str, str]:
    """The names of a dataclass's fields, and of their types."""
    return {f.name: str(f.type).partition("[")[0] for f in fields(kind)}


def read_as(kind: type[S], attribute: ir.Attribute) -> S:
    """A dictionary as a dataclass that has all of its fields. Raises ScheduleError."""
    return kind(**read_fields(attribute, types_of(kind)))


def read_parts(name: str, attribute: ir.Attribute, count: int) -> list[ir.Attribute]:
    """The parts of a schedule `{NAME = [...]}`, of which there are to be so many. Raises ScheduleError."""
    parts = read_fields(attribute, {name: "list"})[name]
    check_count(name, parts, count)
    return parts


def check_count(name: str, parts: Sequence[ir.Attribute], count: int) -> None:
    if len(parts) != count:
        raise ScheduleError(name, f"{len(parts)} {name}", str(count))


def _value(name: str, attribute: ir.Attribute, kind: str) -> Any:
    value = plain_value(attribute)
    fits = (
        isinstance(value, list) and all(type(v) is int for v in value)
        if kind == "tuple"
        else type(value).__name__ == kind
    )
    if not fits:
        raise ScheduleError(name, attribute, TYPES[kind])
    return tuple(value) if kind == "tuple" else value


def plain_value(attribute: ir.Attribute) -> Any:
    """A Python value; dictionaries stay attributes."""
    if isinstance(attribute, ir.BoolAttr):
        return attribute.value
    if isinstance(attribute, ir.IntegerAttr):
        return attribute.value
    if isinstance(attribute, ir.StringAttr):
        return attribute.value
    if isinstance(attribute, ir.ArrayAttr):
        return [plain_value(one) for one in attribute]
    return attribute


# ---- what fields may be


def one_of(field: str, found: Any, allowed: Collection[Any]) -> None:
    if found not in allowed:
        raise ScheduleError(field, spelled(found), ", ".join(map(spelled, allowed)) or "nothing")


def between(field: str, found: int, least: int, most: int, why: str = "") -> None:
    if not least <= found <= most:
        raise ScheduleError(field, found, (f"{least} to {most}" if most > least else str(least)) + why)


def multiple(field: str, found: int, of: int, most: int) -> None:
    """Zero (not cut), or a multiple up to `most`."""
    if found and (found % of or not 0 < found <= most):
        raise ScheduleError(field, found, f"0, or a multiple of {of} up to {most}")


def vector_widths(widest: int) -> list[int]:
    """Elements that a vector of a processor may have."""
    return [1 << n for n in range(1, widest.bit_length())]
