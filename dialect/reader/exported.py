"""Files of `jax.export.Exported.serialize()`: a flatbuffer, one of whose fields is the program as a portable artifact.

The other fields (trees of arguments, shardings, gradients) describe Python's side of the function; `main` takes the arguments that the
program uses, in order. The layout of such a buffer: https://flatbuffers.dev/internals."""

from __future__ import annotations

import struct

MAGIC = b"ML\xefR"
"""What MLIR bytecode begins with."""

_PROGRAM = 30
"""The index of the field `mlir_module_serialized` in the table of the root's fields; the schema only grows at its end."""


def artifact_in(data: bytes) -> bytes | None:
    """The portable artifact in an exported function; None for what is none."""
    try:
        return _artifact_in(data)
    except struct.error:  # beyond the end
        return None


def _artifact_in(data: bytes) -> bytes | None:
    table = _number("<I", data, 0)
    fields = table - _number("<i", data, table)
    if fields < 0 or _number("<H", data, fields) <= _PROGRAM:
        return None
    field = table + _number("<H", data, fields + _PROGRAM)
    vector = field + _number("<I", data, field)
    size = _number("<I", data, vector)
    artifact = data[vector + 4 : vector + 4 + size]
    return artifact if artifact.startswith(MAGIC) and len(artifact) == size else None


def _number(form: str, data: bytes, position: int) -> int:
    if position < 0:
        raise struct.error("before the beginning")
    return int(struct.unpack_from(form, data, position)[0])
