"""Compiled programs as files.

    a line that names the format, the SHA-256 of what follows, the length of a header, the header (JSON), blobs

Blobs (object files, constants, arrays in the configuration of custom calls) begin at multiples of 64 bytes from the
file's start, so that constants are used where they were read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from hlo.dialect.numpy_types import DTYPES
from hlo.errors import HloError
from hlo.runtime.custom_calls import CustomCall, bind_target
from hlo.runtime.donation import Donation
from hlo.runtime.dtypes import dtype_name
from hlo.runtime.program import Program
from hlo.runtime.signature import ArrayType, Signature

MAGIC = b"hlo compiled program, format 1\n\0"
CHECKSUM = len(MAGIC)
LENGTH = CHECKSUM + 32
START = LENGTH + 8
ALIGNMENT = 64


class DamagedFile(HloError):
    """Not a compiled program, or not as it was written."""


def pack(program: Program) -> bytes:
    """The contents of the file of a program."""
    blobs: list[bytes] = []
    header = {
        "entry": program.entry,
        "machine": program.machine,
        "arena": program.arena,
        "donation": vars(program.donation),
        "arguments": _types(program.signature.arguments),
        "results": _types(program.signature.results),
        "objects": [_add(blobs, one) for one in program.objects],
        "constants": [_encoded(array, blobs) for array in program.constants],
        "custom_calls": [_call(call, blobs) for call in program.custom_calls],
    }
    text = json.dumps({**header, "sizes": [len(b) for b in blobs]}).encode()
    parts = [MAGIC, b"\0" * 32, len(text).to_bytes(8, "little"), text]
    at = START + len(text)
    for blob in blobs:
        padding = -at % ALIGNMENT
        parts += [b"\0" * padding, blob]
        at += padding + len(blob)
    parts[1] = _checksum(b"".join(parts[2:]))
    return b"".join(parts)


def unpack(data: bytes) -> Program:
    """The program in a file's contents. Raises DamagedFile, and CompileError for a custom call that nobody has
    registered."""
    if data[:CHECKSUM] != MAGIC or data[CHECKSUM:LENGTH] != _checksum(memoryview(data)[LENGTH:]):
        raise DamagedFile("not a compiled program, or damaged")
    memory = _aligned(data)
    end = START + int.from_bytes(data[LENGTH:START], "little")
    header = json.loads(data[START:end])
    blobs = _blobs(memory, end, header["sizes"])
    return Program(
        Signature(_read_types(header["arguments"]), _read_types(header["results"])),
        tuple(blobs[n].tobytes() for n in header["objects"]),
        header["entry"],
        tuple(_decoded(one, blobs) for one in header["constants"]),
        header["arena"],
        tuple(_read_call(one, blobs) for one in header["custom_calls"]),
        header["machine"],
        _read_donation(header["donation"]),
    )


def write_file(path: Path, data: bytes) -> None:
    """Readers find the old file or the new one, never a part. Raises OSError."""
    import tempfile  # here: programs that are only loaded do without it

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".hlo-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _checksum(data: bytes | memoryview) -> bytes:
    return hashlib.sha256(data).digest()


def _aligned(data: bytes) -> np.ndarray:
    room = np.empty(len(data) + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    memory = room[start : start + len(data)]
    memory[:] = np.frombuffer(data, np.uint8)
    return memory


def _blobs(memory: np.ndarray, at: int, sizes: Sequence[int]) -> list[np.ndarray]:
    found = []
    for size in sizes:
        at += -at % ALIGNMENT
        found.append(memory[at : at + size])
        at += size
    return found


def _read_donation(record: dict[str, Any]) -> Donation:
    pairs = tuple((argument, result) for argument, result in record["results"])
    return Donation(tuple(record["arguments"]), tuple(record["asked"]), pairs)


def _add(blobs: list[bytes], data: bytes) -> int:
    blobs.append(data)
    return len(blobs) - 1


def _types(types: Sequence[ArrayType]) -> list[Any]:
    return [[list(t.shape), dtype_name(t.dtype)] for t in types]


def _read_types(types: Sequence[Any]) -> tuple[ArrayType, ...]:
    return tuple(ArrayType(tuple(shape), DTYPES[name]) for shape, name in types)


def _call(call: CustomCall, blobs: list[bytes]) -> dict[str, Any]:
    operands, results = _types(call.operands), _types(call.results)
    config = _encoded(call.config, blobs)
    return {"target": call.target, "operands": operands, "results": results, "config": config}


def _read_call(record: dict[str, Any], blobs: Sequence[np.ndarray]) -> CustomCall:
    from hlo.runtime import standard_targets  # noqa: F401 (registers targets; few programs need them)

    operands, results = _read_types(record["operands"]), _read_types(record["results"])
    return bind_target(record["target"], _decoded(record["config"], blobs), operands, results)


def _encoded(value: Any, blobs: list[bytes]) -> Any:
    """As JSON has it, arrays as blobs."""
    if isinstance(value, np.ndarray):
        return {"array": _add(blobs, value.tobytes()), "shape": value.shape, "dtype": dtype_name(value.dtype)}
    if isinstance(value, dict):
        return {"dict": {key: _encoded(one, blobs) for key, one in value.items()}}
    return [_encoded(one, blobs) for one in value] if isinstance(value, (list, tuple)) else value


def _decoded(value: Any, blobs: Sequence[np.ndarray]) -> Any:
    if isinstance(value, list):
        return [_decoded(one, blobs) for one in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {key: _decoded(one, blobs) for key, one in value["dict"].items()}
    return blobs[value["array"]].view(DTYPES[value["dtype"]]).reshape(value["shape"])
