"""Programs compiled for a CPU as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.dialect.process_grid import Grid
from hlo.runtime.calls.donation import Donation
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
    unpack_parts,
)
from hlo.runtime.saved.file_structure import CPU, check_donation, check_meetings, check_structure, require
from hlo.runtime.saved.program import Program

if TYPE_CHECKING:
    from hlo.runtime.grid.process_words import Meeting
    from hlo.runtime.profile.rows import Row


def pack(program: Program, name: str = "") -> bytes:
    """The contents of the file of a program. `name`: what the file is found by, where it is."""
    blobs: list[bytes] = []
    return pack_parts(header_of(program, blobs, name), blobs)


def header_of(program: Program, blobs: list[bytes], name: str = "") -> dict[str, Any]:
    """The header of a program's file; what it refers to is added to the blobs."""
    return {
        "target": "cpu",
        "name": name,
        "entry": program.entry,
        "machine": program.machine,
        "arena": program.arena,
        "donation": program.donation._asdict(),
        "grid": [program.grid.num_replicas, program.grid.num_partitions],
        "meetings": [vars(meeting) for meeting in program.meetings],
        **signature_as_json(program.signature),
        "library": add_blob(blobs, program.library) if program.library else None,
        "objects": [add_blob(blobs, one) for one in program.objects],
        "profile": None if program.profile is None else [vars(row) for row in program.profile],
        "process_code": [[key, add_blob(blobs, one)] for key, one in program.process_code],
        "constants": [encoded(array, blobs) for array in program.constants],
        "custom_calls": [call_as_json(call, blobs) for call in program.custom_calls],
    }


def unpack(data: bytes, name: str | None = None) -> Program:
    """The program in a file's contents, which was packed under this name. Raises DamagedFile, and CompileError for a custom call that
    nobody has registered."""
    header, blobs = unpack_parts(data)
    require(header["target"] == "cpu", f"it is for {header['target']!r}")
    require(name is None or header.get("name") == name, "the file has another one's name")
    return read_program(header, blobs)


def read_program(header: dict[str, Any], blobs: Sequence[np.ndarray]) -> Program:
    """Raises DamagedFile for a header that no program has."""
    check_structure(header, CPU)
    check_donation(header)
    check_meetings(header)
    require(header["objects"] or header["library"] is not None, "it has no code")
    return Program(
        read_signature(header),
        tuple(blob_at(blobs, n).tobytes() for n in header["objects"]),
        header["entry"],
        tuple(decoded(one, blobs) for one in header["constants"]),
        header["arena"],
        tuple(read_call(one, blobs) for one in header["custom_calls"]),
        header["machine"],
        _read_donation(header["donation"]),
        Grid(*header["grid"]),
        tuple(map(_read_meeting, header["meetings"])),
        b"" if header["library"] is None else blob_at(blobs, header["library"]).tobytes(),
        tuple((key, blob_at(blobs, n).tobytes()) for key, n in header["process_code"]),
        _read_rows(header["profile"]),
    )


def _read_rows(records: list[dict[str, Any]] | None) -> tuple[Row, ...] | None:
    if records is None:
        return None
    from hlo.runtime.profile.rows import read_row

    return tuple(map(read_row, records))


def _read_meeting(record: dict[str, Any]) -> Meeting:
    from hlo.runtime.grid.process_words import Meeting

    lists = (tuple(map(tuple, record[key])) for key in ("members", "sources", "exposed"))
    return Meeting(record["op"], record["location"], record["channel"], record["signature"], *lists)


def _read_donation(record: dict[str, Any]) -> Donation:
    pairs = tuple((argument, result) for argument, result in record["results"])
    return Donation(tuple(record["arguments"]), tuple(record["asked"]), pairs)
