"""From the file of a compiled program to an executable, without MLIR; what a target does not need is not imported."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hlo.errors import ArgumentError
from hlo.garbage import importing
from hlo.interruption import uninterrupted
from hlo.program_text import contents, shown
from hlo.runtime.saved.file_format import aligned, unpack_parts
from hlo.runtime.saved.file_structure import DamagedFile, check_structure, number, require
from hlo.runtime.saved.sha256 import sha256
from hlo.saved_files import ELF, END, STAYS

if TYPE_CHECKING:
    from hlo.runtime.calls.executable import Executable
    from hlo.runtime.gpu.executable import GpuExecutable


def load_cpu(header: dict[str, Any], blobs: Sequence[np.ndarray], threads: int | None) -> Any:
    from hlo.runtime.saved.load_program import load_program
    from hlo.runtime.saved.program_file import read_program

    return load_program(read_program(header, blobs), threads)


def load_gpu(header: dict[str, Any], blobs: Sequence[np.ndarray], threads: int | None) -> Any:
    from hlo.runtime.gpu.executable import GpuExecutable
    from hlo.runtime.gpu.program_file import read_program

    return uninterrupted(lambda: GpuExecutable(read_program(header, blobs)))


READERS = {"cpu": load_cpu, "gpu": load_gpu}
"""Of hlo's own targets."""


def load_parts(header: dict[str, Any], blobs: Sequence[np.ndarray], threads: int | None = None) -> Any:
    """Raises DamagedFile for what is no program, CompileError as `load_executable` does."""
    name = header["target"]
    if name in READERS:
        return READERS[name](header, blobs, threads)
    from hlo.targets import call, find_target, target_names

    reader = find_target(name).read_saved if name in target_names() else None
    require(reader is not None, f"there is no target {name!r}")
    return uninterrupted(lambda: call(reader or "", header, blobs, threads))


def load_contents(data: bytes, threads: int | None = None) -> Any:
    """The executable whose `save` would write this. Raises DamagedFile, and CompileError as `load_executable` does."""
    return load_parts(*unpack_parts(data), threads)


SECTION = ".hlo.program"
"""Of a shared library that `save(path, format="so")` has written: the executable's header."""


def _parts_in(data: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Header and blobs of a file. In a shared library, the first blobs are parts of it, which the header's "within" lists: from where, how
    many bytes; the first of them is what is loaded. Raises DamagedFile."""
    if not data.startswith(ELF):
        return unpack_parts(data)
    from hlo.runtime.elf.read import sections_of

    header, blobs = unpack_parts(sections_of(data).get(SECTION, b""))
    check_structure(header, {"within": [(number, number)], "digest": str})
    parts = header["within"]
    require(
        parts and all(at + size <= parts[0][1] <= len(data) for at, size in parts), "parts that are not in the file"
    )
    loaded = data[: parts[0][1]]
    require(library_digest(loaded) == header["digest"], "the library was changed")
    memory = aligned(loaded)
    if loaded.endswith(STAYS + END):  # of its threads, which are not used here
        memory[-len(STAYS + END) :] = 0
    return header, [*(memory[at : at + size] for at, size in parts), *blobs]


def library_digest(loaded: bytes) -> str:
    """Of what a library's file has before sections that are not loaded, but for its header, which says where they are."""
    return sha256(memoryview(loaded)[64:]).hexdigest()


def load_executable(path: str | os.PathLike[str]) -> Executable | GpuExecutable:
    """The executable that `exe.save(path)` has written. The file holds machine code, which is run when the executable is called: load only
    what you trust. Raises ArgumentError for a file that cannot be read or is none, and CompileError if it was compiled for another
    processor or calls a target that is not registered. Ctrl-C ends it at any step, but for what LLVM or a driver does."""
    data = contents(path)
    try:
        with importing("hlo.runtime.calls.executable"):
            return load_parts(*_parts_in(data))
    except DamagedFile as error:
        raise ArgumentError(f"{shown(path)!r}: {error}") from None
