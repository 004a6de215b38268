"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hlo.errors import ArgumentError
from hlo.program_text import shown

TEMPORARY = ".hlo-"
"""How the names of files begin that are not whole yet; they are in the folder of the file that they become."""

ANYBODY, OWNER = 0o666, 0o600
"""Who may read and write a new file, but for those whom the process's umask excludes."""


def write_whole(path: Any, data: bytes, mode: int = ANYBODY) -> None:
    """Readers find the old file or the new one, never a part. What a symbolic link leads to is written, and not the link; a device or a
    pipe is written to. A file that is there keeps its mode. Raises OSError."""
    named = os.fsdecode(path)
    if named.endswith(os.sep):
        os.stat(
            named
        )  # raises for what is no folder: realpath would drop the separator, and a file of that name be written
    path = os.path.realpath(named)
    there = _state(path)
    if there is not None and not _is_regular(there):
        with open(path, "wb") as file:
            file.write(data)
        return
    temporary = os.path.join(os.path.dirname(path), TEMPORARY + os.urandom(8).hex())
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.write(data)
        if there is not None:
            os.chmod(temporary, there.st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def may_write(path: Any) -> bool:
    """Whether `save` is likely to succeed: the file is there and may be written, or its folder takes new ones."""
    return _obstacle(path) == 0


def check_writable(path: Any) -> None:
    """Raises ArgumentError, with the reason, where `save` would: before minutes are spent on what is to be written."""
    if reason := _obstacle(path):
        raise ArgumentError(f"cannot write {shown(path)!r}: {os.strerror(reason)}")


def _obstacle(path: Any) -> int:
    """The number of the error that `save` would find, or 0."""
    if os.path.isdir(path):
        return errno.EISDIR
    there = path if os.path.exists(path) else os.path.dirname(os.path.realpath(path))
    if not os.path.exists(there):
        return errno.ENOENT
    if there != path and not os.path.isdir(there):
        return errno.ENOTDIR
    return 0 if os.access(there, os.W_OK) else errno.EACCES


def save(path: Any, data: bytes) -> None:
    """`write_whole` for a path that a user gave. Raises ArgumentError where that cannot be done."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise ArgumentError(f"the path of a file expected (str or os.PathLike), found {type(path).__name__}")
    try:
        write_whole(path, data)
    except OSError as error:
        raise ArgumentError(f"cannot write {shown(path)!r}: {error.strerror}") from None
    except ValueError as error:  # a null byte
        raise ArgumentError(f"cannot write {shown(path)!r}: {error}") from None


def save_all(files: Mapping[str, bytes]) -> None:
    """Writes several files, all or none: they are whole in the target folders before the first one gets its name, and
    when one does not get its own, what was there before is there again. Raises ArgumentError."""
    made: dict[str, str] = {}
    previous: dict[str, str] = {}
    path = ""
    try:
        for path, data in files.items():
            target = os.path.realpath(path)
            if os.path.isdir(target):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            temporary = os.path.join(os.path.dirname(target), TEMPORARY + os.urandom(8).hex())
            made[temporary] = target
            write_whole(temporary, data)
        for temporary, path in made.items():
            previous[path] = _second_name(path)
            os.replace(temporary, path)
    except BaseException as error:
        for target, old in previous.items():
            _put_back(target, old)
        if not isinstance(error, OSError):
            raise
        raise ArgumentError(f"cannot write {shown(path)!r}: {error.strerror}") from None
    finally:
        for temporary in (*made, *previous.values()):
            with suppress(OSError):
                os.unlink(temporary)


def _second_name(path: str) -> str:
    """Another name, in the same folder, of the file that is there, its only one where files cannot have two; "" if there is none."""
    name = os.path.join(os.path.dirname(path), TEMPORARY + os.urandom(8).hex())
    if not os.path.lexists(path):
        return ""
    try:
        os.link(path, name)
    except OSError:
        os.rename(path, name)
    return name


def _put_back(path: str, old: str) -> None:
    """Undoes what may have been done to a path. The second name and the file's own are one file where nothing was:
    `replace` does nothing then."""
    with suppress(OSError):
        if old:
            os.replace(old, path)
        else:
            os.unlink(path)


def _state(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_regular(state: os.stat_result) -> bool:
    import stat

    return stat.S_ISREG(state.st_mode)
