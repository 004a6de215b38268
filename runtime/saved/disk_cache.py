"""Compiled programs on disk, so that they are compiled once and not once a process.

The folder is HLO_CACHE_DIR, or hlo in the user's cache folder (XDG_CACHE_HOME, ~/.cache); HLO_CACHE_DIR= (empty) turns the
cache off. A file's name is a digest of all that decides about the code: program, options, this compiler's sources and
libraries, processor, number of threads. A file is used only if it and its folder belong to this user and nobody else may
write to them; one that is damaged is compiled again. The files used longest ago go when all take more than HLO_CACHE_SIZE
bytes. Nothing else is written, and where nothing can be written nothing is kept."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from hlo.environment import CACHE_SIZE
from hlo.errors import CompileError
from hlo.lowering.target import TARGETS, target
from hlo.other_llvm import folders
from hlo.runtime.calls.executable import Executable
from hlo.runtime.compile.machine import identity_of
from hlo.runtime.saved.file_format import pack_parts, unpack_parts
from hlo.runtime.saved.file_structure import DamagedFile, require
from hlo.runtime.saved.load_program import load_program
from hlo.runtime.saved.portable import linked
from hlo.runtime.saved.program import Program
from hlo.runtime.saved.program_file import pack, unpack
from hlo.runtime.saved.sha256 import sha256
from hlo.whole_files import OWNER, TEMPORARY, write_whole

Found = TypeVar("Found")

SUFFIX = ".hlo"
PACKAGES = ("dialect", "lowering", "pipelines", "runtime")
"""Whose sources decide about the code."""


def folder() -> Path | None:
    """Where compiled programs are kept; None if they are not."""
    chosen = os.environ.get("HLO_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) if chosen else None
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hlo"
    except RuntimeError:  # no home
        return None


def is_kept(options: dict[str, Any]) -> bool:
    """Whether programs with these options are: those whose code is object files, for a processor we know."""
    return options["engine"] == "llvm" and options["cpu"] in ("host", *TARGETS)


def digest(program: bytes, options: dict[str, Any]) -> str:
    """The name of a program compiled with these options by this compiler on this machine."""
    cpu = options["cpu"]
    facts = [(k, sorted(v) if isinstance(v, frozenset) else v) for k, v in sorted(target(cpu)._asdict().items())]
    about = [_compiler(), identity_of(cpu), facts, sorted(options.items())]
    return sha256(repr(about).encode() + b"\0" + program).hexdigest()


def find(name: str, threads: int | None = None) -> Executable | None:
    """The program that is kept under a digest, to run on so many threads."""
    return _find(name, lambda data: load_program(unpack(data, name), threads))


def find_object(name: str) -> bytes | None:
    """The object file that is kept under a digest."""
    return _find(name, lambda data: _object(data, name))


def _object(data: bytes, name: str) -> bytes:
    header, blobs = unpack_parts(data)
    require(header.get("name") == name and len(blobs) == 1, "the file has another one's name")
    return blobs[0].tobytes()


def _find(name: str, read: Callable[[bytes], Found]) -> Found | None:
    directory = folder()
    if directory is None:
        return None
    path = directory / (name + SUFFIX)
    try:
        if not _is_ours(directory.stat()) or not _is_ours(path.lstat(), stat.S_ISREG):
            return None
        found = read(path.read_bytes())
    except (OSError, DamagedFile, CompileError):  # a custom call that is not registered: compiling says it
        return None
    with suppress(OSError):
        os.utime(path)
    return found


def keep(name: str, program: Program) -> None:
    """Writes a program for the next process."""
    if program.objects:
        _keep(name, lambda: pack(linked(program), name))


def keep_object(name: str, data: bytes) -> None:
    """Writes an object file for the next process."""
    _keep(name, lambda: pack_parts({"target": "object", "name": name}, [data]))


def _keep(name: str, pack_it: Callable[[], bytes]) -> None:
    directory = folder()
    if directory is None:
        return
    with suppress(OSError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_ours(directory.stat()):
            data = pack_it()
            write_whole(directory / (name + SUFFIX), data, OWNER)
            _evict_now_and_then(directory, len(data))


def _is_ours(state: os.stat_result, kind: Any = stat.S_ISDIR) -> bool:
    """Whether a folder (file) belongs to this user and nobody else may write to it."""
    return kind(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


ABANDONED = 3600
"""Seconds after which nobody writes a file any more."""

_written: dict[Path, int] = {}
"""Bytes that this process has written to a folder since it last looked for what must go."""


def _evict_now_and_then(directory: Path, size: int) -> None:
    """Looks through the folder at this process's first file and whenever it has written a 64th of the limit: a look at
    thousands of files takes longer than compiling a small program."""
    limit = CACHE_SIZE.value()
    _written[directory] = _written.get(directory, limit) + size
    if _written[directory] > limit // 64:
        _written[directory] = 0
        _evict(directory, limit)


def _evict(directory: Path, limit: int) -> None:
    """Removes what was used longest ago until the rest fits, and what processes that are gone have begun to write."""
    with os.scandir(directory) as found:
        files = [(e.name, e.stat(follow_symlinks=False), e.path) for e in found]
    for name, state, path in files:
        if name.startswith(TEMPORARY) and state.st_mtime < time.time() - ABANDONED:
            Path(path).unlink(missing_ok=True)
    entries = [(state.st_mtime, state.st_size, path) for name, state, path in files if name.endswith(SUFFIX)]
    surplus = sum(size for _, size, _ in entries) - limit
    for _, size, path in sorted(entries):
        if surplus <= 0:
            break
        Path(path).unlink(missing_ok=True)
        surplus -= size


@cache
def _compiler() -> str:
    """Changes with the sources of hlo and the libraries that it compiles with."""
    found = sha256(b"")
    for path, state in _sources():
        found.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    return found.hexdigest()


def _sources() -> Iterator[tuple[str, os.stat_result]]:
    packages = [find_spec(f"hlo.{package}") for package in PACKAGES]
    own = [path for spec in packages if spec for path in spec.submodule_search_locations or ()]
    for path in [*own, *map(str, folders() or ())]:
        yield from _files(path)


def _files(path: str) -> Iterator[tuple[str, os.stat_result]]:
    for entry in sorted(os.scandir(path), key=lambda e: e.name):
        if entry.is_dir():
            yield from _files(entry.path)
        elif entry.name.endswith((".py", ".so")):
            yield entry.path, entry.stat()
