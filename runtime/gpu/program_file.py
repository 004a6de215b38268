"""Programs compiled for a GPU as files. A plan's steps are JSON lists: the step's name, then its fields."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from hlo.runtime.gpu import plan as steps
from hlo.runtime.gpu.check_plan import checked_plan
from hlo.runtime.gpu.program import DeviceProgram
from hlo.runtime.saved.file_format import (
    add_blob,
    blob_at,
    call_as_json,
    decoded,
    encoded,
    pack_parts,
    read_call,
    read_signature,
    signature_as_json,
)
from hlo.runtime.saved.file_structure import GPU, DamagedFile, check_structure, require

STEPS: dict[str, Any] = {name: kind for name, kind in vars(steps).items() if is_dataclass(kind)}


def pack(program: DeviceProgram) -> bytes:
    """The contents of the file of a program."""
    blobs: list[bytes] = []
    header = {
        "target": "gpu",
        "device": program.device,
        "arch": program.arch,
        "plan": plan_as_json(program.plan),
        **signature_as_json(program.signature),
        "code": add_blob(blobs, zlib.compress(program.code.encode(), 6)),
        "constants": [encoded(array, blobs) for array in program.constants],
        "custom_calls": [call_as_json(call, blobs) for call in program.custom_calls],
    }
    return pack_parts(header, blobs)


def read_program(header: dict[str, Any], blobs: Sequence[np.ndarray]) -> DeviceProgram:
    """Raises DamagedFile for a header that no program has, CompileError for a custom call that nobody has registered."""
    check_structure(header, {**GPU, "plan": list})
    plan = checked_plan(read_plan(header["plan"]), header)
    return DeviceProgram(
        plan,
        _text(blob_at(blobs, header["code"])),
        tuple(decoded(one, blobs) for one in header["constants"]),
        read_signature(header),
        tuple(read_call(one, blobs) for one in header["custom_calls"]),
        header["device"],
        header["arch"],
    )


def plan_as_json(value: Any) -> Any:
    if is_dataclass(value):
        return [type(value).__name__, *(plan_as_json(getattr(value, f.name)) for f in fields(value))]
    return {"all": [plan_as_json(one) for one in value]} if isinstance(value, tuple) else value


def read_plan(value: Any) -> Any:
    if isinstance(value, list):
        name, *rest = value or [""]
        require(type(name) is str and name in STEPS, f"there is no step {name!r} of plans")
        try:
            return STEPS[name](*map(read_plan, rest))
        except TypeError:
            raise DamagedFile(f"its header is wrong: a step {name} has other fields") from None
    if isinstance(value, dict):
        check_structure(value, {"all": list})
        return tuple(map(read_plan, value["all"]))
    return value


def _text(code: np.ndarray) -> str:
    try:
        return zlib.decompress(code.tobytes()).decode()
    except (zlib.error, UnicodeDecodeError):
        raise DamagedFile("its code cannot be read") from None
