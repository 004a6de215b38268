"""From the file of a compiled program to an executable, without MLIR; what a target does not need is not imported."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.errors import ArgumentError
from hlo.program_text import contents, shown
from hlo.runtime.file_format import unpack_parts
from hlo.runtime.file_structure import DamagedFile, require
from hlo.runtime.saved_files import ELF
from hlo.targets import call, find_target, target_names


def load_cpu(header: dict[str, Any], blobs: Sequence[np.ndarray], threads: int | None) -> Any:
    from hlo.runtime.load_program import load_program
    from hlo.runtime.program_file import read_program

    return load_program(read_program(header, blobs), threads)


def load_gpu(header: dict[str, Any], blobs: Sequence[np.ndarray], threads: int | None) -> Any:
    from hlo.runtime.gpu.executable import GpuExecutable
    from hlo.runtime.gpu.program_file import read_program

    return GpuExecutable(read_program(header, blobs))


def load_parts(header: dict[str, Any], blobs: Sequence[np.ndarray], threads: int | None = None) -> Any:
    """Raises DamagedFile for what is no program, CompileError as `load_executable` does."""
    name = header["target"]
    reader = find_target(name).read_saved if name in target_names() else None
    require(reader is not None, f"there is no target {name!r}")
    return call(reader or "", header, blobs, threads)


SECTION = ".hlo.program"
"""Of a shared library that `save(path, format="so")` has written: the executable's own file."""


def _program_in(data: bytes) -> bytes:
    if not data.startswith(ELF):
        return data
    from hlo.runtime.elf.read import sections_of

    return sections_of(data).get(SECTION, b"")


def load_executable(path: str | os.PathLike[str]) -> Any:
    """Loads what `Executable.save` or `GpuExecutable.save` has written. The file holds machine code, which is run when the
    executable is called: load only what you trust. Raises ArgumentError for a file that cannot be read or is none, and
    CompileError if it was compiled for another processor or calls a target that is not registered."""
    data = _program_in(contents(path))
    try:
        return load_parts(*unpack_parts(data))
    except DamagedFile as error:
        raise ArgumentError(f"{shown(path)!r}: {error}") from None
