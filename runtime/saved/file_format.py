"""Compiled programs as files, whatever they run on.

    a line that names the format, the SHA-256 of what follows, the length of a header, the header (JSON), blobs

Blobs (code, constants, arrays in the configuration of custom calls) begin at multiples of 64 bytes from the file's start,
so that constants are used where they were read. The header's "target" says who reads the rest of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.dialect.numpy_types import DTYPES, dtype_name
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.saved.file_structure import DamagedFile, check_structure, number, require
from hlo.runtime.saved.file_structure import array as check_array
from hlo.runtime.saved.sha256 import sha256
from hlo.saved_files import FAMILY, MAGIC

if TYPE_CHECKING:
    from hlo.runtime.custom_calls.registry import CustomCall

CHECKSUM = len(MAGIC)
LENGTH = CHECKSUM + 32
START = LENGTH + 8
ALIGNMENT = 64


def pack_parts(header: dict[str, Any], blobs: Sequence[bytes]) -> bytes:
    """The contents of a file."""
    import json  # not where files are read only

    text = json.dumps({**header, "sizes": [len(b) for b in blobs]}).encode()
    parts = [MAGIC, b"\0" * 32, len(text).to_bytes(8, "little"), text]
    at = START + len(text)
    for blob in blobs:
        padding = -at % ALIGNMENT
        parts += [b"\0" * padding, blob]
        at += padding + len(blob)
    parts[1] = sha256(b"".join(parts[2:])).digest()
    return b"".join(parts)


def unpack_parts(data: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Header and blobs in a file's contents. Raises DamagedFile."""
    if data[:CHECKSUM] != MAGIC:
        raise DamagedFile(_what_else(data[:CHECKSUM]))
    if data[CHECKSUM:LENGTH] != sha256(memoryview(data)[LENGTH:]).digest():
        raise DamagedFile("a compiled program that is cut off or was changed (its checksum differs)")
    header = _header(data)
    return header, _blobs(aligned(data), START + _length(data), header["sizes"])


def _what_else(beginning: bytes) -> str:
    """What a file is that does not begin as those of this version, in words."""
    if not beginning.startswith(FAMILY):
        return "not a compiled program"
    theirs, ours = (line.removeprefix(FAMILY).strip(b"\n\0").decode(errors="replace") for line in (beginning, MAGIC))
    return f"a compiled program of format {theirs}, which another version of hlo wrote; this one reads format {ours}"


def _header(data: bytes) -> dict[str, Any]:
    size = _length(data)
    require(START + size <= len(data), f"it has {size} bytes, more than the file")
    try:
        header = _from_json(data[START : START + size].decode())
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"its header cannot be read: {type(error).__name__}") from None
    check_structure(header, {"target": str, "sizes": [number]})
    return header


def _from_json(text: str) -> Any:
    """What the text of an object says; by the part of Python's reader that is written in C, where there is one:
    importing the rest takes a tenth of the time that loading a program takes. Raises ValueError."""
    try:
        from _json import make_scanner
    except ImportError:
        from json import loads

        return loads(text)
    plain = {"strict": True, "object_hook": None, "object_pairs_hook": None}
    context: Any = SimpleNamespace(**plain, parse_float=float, parse_int=int, parse_constant=float)
    scan = make_scanner(context)
    try:
        value, end = scan(text, 0)
    except StopIteration:
        raise ValueError("no JSON") from None
    if end != len(text):
        raise ValueError("more than one value")
    return value


def _length(data: bytes) -> int:
    return int.from_bytes(data[LENGTH:START], "little")


def aligned(data: bytes) -> np.ndarray:
    """A copy that begins at a multiple of ALIGNMENT."""
    room = np.empty(len(data) + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    memory = room[start : start + len(data)]
    memory[:] = np.frombuffer(data, np.uint8)
    return memory


def _blobs(memory: np.ndarray, at: int, sizes: Sequence[int]) -> list[np.ndarray]:
    found = []
    for size in sizes:
        at += -at % ALIGNMENT
        require(at + size <= len(memory), f"a part of {size} bytes ends behind the file's end")
        found.append(memory[at : at + size])
        at += size
    return found


def blob_at(blobs: Sequence[np.ndarray], position: int) -> np.ndarray:
    require(position < len(blobs), f"there is no part {position}")
    return blobs[position]


def add_blob(blobs: list[bytes], data: bytes) -> int:
    """The number of a new blob."""
    blobs.append(data)
    return len(blobs) - 1


def types_as_json(types: Sequence[ArrayType]) -> list[Any]:
    return [[list(t.shape), dtype_name(t.dtype)] for t in types]


def read_types(types: Sequence[Any]) -> tuple[ArrayType, ...]:
    return tuple(ArrayType(tuple(shape), DTYPES[name]) for shape, name in types)


def signature_as_json(signature: Signature) -> dict[str, Any]:
    return {"arguments": types_as_json(signature.arguments), "results": types_as_json(signature.results)}


def read_signature(header: dict[str, Any]) -> Signature:
    return Signature(read_types(header["arguments"]), read_types(header["results"]))


def call_as_json(call: CustomCall, blobs: list[bytes]) -> dict[str, Any]:
    operands, results = types_as_json(call.operands), types_as_json(call.results)
    description = {**vars(call.description), "config": encoded(call.description.config, blobs)}
    return {"target": call.target, "operands": operands, "results": results, **description}


def read_call(record: dict[str, Any], blobs: Sequence[np.ndarray]) -> CustomCall:
    from hlo.runtime.custom_calls import standard_targets  # noqa: F401 (registers targets; few programs need them)
    from hlo.runtime.custom_calls.registry import Description, bind_target

    operands, results = read_types(record["operands"]), read_types(record["results"])
    description = Description(
        decoded(record["config"], blobs),
        record["api_version"],
        record["has_side_effect"],
        tuple((name, program) for name, program in record["called"]),
        record["location"],
        record["config_types"],
        tuple(record["demands"]),
        tuple(record["unread"]),
    )
    return bind_target(record["target"], description, operands, results)


def encoded(value: Any, blobs: list[bytes]) -> Any:
    """As JSON has it, arrays as blobs."""
    if isinstance(value, np.ndarray):
        return {"array": add_blob(blobs, value.tobytes()), "shape": value.shape, "dtype": dtype_name(value.dtype)}
    if isinstance(value, dict):
        return {"dict": {key: encoded(one, blobs) for key, one in value.items()}}
    return [encoded(one, blobs) for one in value] if isinstance(value, (list, tuple)) else value


def decoded(value: Any, blobs: Sequence[np.ndarray]) -> Any:
    if isinstance(value, list):
        return [decoded(one, blobs) for one in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {key: decoded(one, blobs) for key, one in value["dict"].items()}
    check_array(value, "array")
    data, dtype = blob_at(blobs, value["array"]), DTYPES[value["dtype"]]
    require(data.nbytes == prod(value["shape"]) * dtype.itemsize, f"an array has {data.nbytes} bytes")
    return data.view(dtype).reshape(value["shape"])
