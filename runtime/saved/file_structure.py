"""What a saved program's header must be like. A checksum says that a file is as it was written, not who wrote it: sizes, offsets and types
are checked before they are used. The code in a file is trusted.

A structure is a type, `[structure]` for a list of such, `{key: structure}` for a dictionary that has these keys, a tuple of structures
for a list of so many, or a function that raises DamagedFile."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from hlo.dialect.numpy_types import DTYPES, OTHERS
from hlo.errors import HloError

LARGEST = 1 << 62
"""What no size or number reaches."""


class DamagedFile(HloError):
    """Not a compiled program, or not as it was written."""


def require(holds: Any, message: str) -> None:
    if not holds:
        raise DamagedFile(f"its header is wrong: {message}")


def check_structure(value: Any, structure: Any, name: str = "header") -> None:
    """Raises DamagedFile, which names the part that is wrong."""
    if isinstance(structure, type):
        require(type(value) is structure, f"{name} must be {structure.__name__}, found {type(value).__name__}")
    elif isinstance(structure, list):
        check_structure(value, list, name)
        for number, one in enumerate(value):
            check_structure(one, structure[0], f"{name}[{number}]")
    elif isinstance(structure, tuple):
        check_structure(value, list, name)
        require(len(value) == len(structure), f"{name} must have {len(structure)} parts, found {len(value)}")
        for number, (one, part) in enumerate(zip(value, structure)):
            check_structure(one, part, f"{name}[{number}]")
    elif isinstance(structure, dict):
        check_structure(value, dict, name)
        for key, part in structure.items():
            require(key in value, f"{name} has no {key!r}")
            check_structure(value[key], part, f"{name}[{key!r}]")
    else:
        structure(value, name)


def number(value: Any, name: str) -> None:
    """A size, an offset or a position."""
    require(type(value) is int and 0 <= value < LARGEST, f"{name} must be a number from 0, found {value!r}")


def element_type(value: Any, name: str) -> None:
    require(
        type(value) is str and (value in DTYPES or value in OTHERS), f"{name} must be an element type, found {value!r}"
    )
    if value not in DTYPES:
        raise HloError(f"the program has arrays of {value}, for which the package ml_dtypes must be installed")


def array_type(value: Any, name: str) -> None:
    """A shape and an element type, of less than LARGEST bytes."""
    check_structure(value, ([number], element_type), name)
    shape, kind = value
    require(prod(shape) * DTYPES[kind].itemsize < LARGEST, f"{name} is too large: {value!r}")


def array(value: Any, name: str) -> None:
    """A constant: the number of its blob, its shape and element type."""
    check_structure(value, {"array": number, "shape": [number], "dtype": element_type}, name)
    array_type([value["shape"], value["dtype"]], name)


def optional(structure: Any) -> Callable[[Any, str], None]:
    """None, or the structure."""

    def check(value: Any, name: str) -> None:
        if value is not None:
            check_structure(value, structure, name)

    return check


def location(value: Any, name: str) -> None:
    """`file:line:column`."""
    check_structure(value, str, name)
    parts = value.rsplit(":", 2)
    require(
        len(parts) == 3 and all(part.isdecimal() for part in parts[1:]), f"{name} must be a location, found {value!r}"
    )


TYPES = {"arguments": [array_type], "results": [array_type]}
CUSTOM_CALL = {
    "target": str,
    "operands": [array_type],
    "results": [array_type],
    "location": str,
    "api_version": number,
    "has_side_effect": bool,
    "called": [(str, str)],
}
DONATION = {"arguments": [number], "asked": [number], "results": [(number, number)]}

INTEGERS = [[int]]
MEETING = {
    "op": str,
    "location": str,
    "channel": int,
    "signature": str,
    "members": INTEGERS,
    "sources": INTEGERS,
    "exposed": [(number, number, number)],
}

ROW = {
    "name": str,
    "kind": str,
    "operations": optional(number),
    "transcendentals": optional(number),
    "read": optional(number),
    "written": optional(number),
    "element": str,
    "sources": [location],
    "names": [str],
}

CPU = {
    "profile": optional([ROW]),
    **TYPES,
    "grid": (number, number),
    "meetings": [MEETING],
    "entry": str,
    "machine": str,
    "arena": number,
    "donation": DONATION,
    "objects": [number],
    "library": optional(number),
    "process_code": [(str, number)],
    "constants": [array],
    "custom_calls": [CUSTOM_CALL],
}
GPU = {
    **TYPES,
    "device": str,
    "arch": str,
    "code": number,
    "constants": [array],
    "custom_calls": [CUSTOM_CALL],
}


def check_donation(header: dict[str, Any]) -> None:
    """A result lies in the memory of an argument of its size, which it has for itself."""
    arguments, results, donation = header["arguments"], header["results"], header["donation"]
    for one in (*donation["arguments"], *donation["asked"]):
        require(one < len(arguments), f"there is no argument {one} to donate")
    pairs = donation["results"]
    for argument, result in pairs:
        require(argument in donation["arguments"] and result < len(results), f"no donation {argument}, {result}")
        sizes = [prod(shape) * DTYPES[kind].itemsize for shape, kind in (arguments[argument], results[result])]
        require(sizes[0] == sizes[1], f"argument {argument} and result {result} differ in size")
    for side in zip(*pairs):
        require(len(set(side)) == len(side), "an argument or a result is donated twice")


def check_meetings(header: dict[str, Any]) -> None:
    """Each process of the grid has a list of those that it meets, and of whose arrays among theirs it borrows (-1: its own)."""
    replicas, partitions = header["grid"]
    count = replicas * partitions
    require(0 < count < 1 << 20, f"a grid of {count} processes")
    for meeting in header["meetings"]:
        members, sources = meeting["members"], meeting["sources"]
        require(len(members) == len(sources) == count, "a meeting that is not of all processes")
        for present, borrowed in zip(members, sources):
            require(all(0 <= n < count for n in present), "a meeting with a process that is not there")
            require(all(-1 <= n < len(present) for n in borrowed), "a meeting that borrows from nobody")
        require(all(part <= row for _, row, part in meeting["exposed"]), "a meeting that exposes more than an array")
