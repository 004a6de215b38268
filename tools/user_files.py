"""Python files of a user's (`--load-pass=FILE.py`) that register passes and targets. What they raise is reported with its line in them."""

from __future__ import annotations

import linecache
import os
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hlo.errors import ArgumentError, Diagnostic, HloError
from hlo.targets import find_target, target_names

_LOADED: set[str] = set()
"""The absolute paths of the files, which find their frames in tracebacks."""


def load_files(files: Iterable[str]) -> None:
    """Runs the files. Raises HloError for one that fails, and ArgumentError for one that registers nothing."""
    for file in files:
        _load(file)


def _load(file: str) -> None:
    import importlib.util

    path = Path(file).resolve()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if path.suffix != ".py" or spec is None or spec.loader is None:
        raise ArgumentError(f"--load-pass takes a Python file (NAME.py), found {file!r}")
    if not path.is_file():
        raise ArgumentError(
            f"--load-pass: cannot read {file!r}: {'Is a directory' if path.is_dir() else 'No such file or directory'}"
        )
    before = _registered()
    _LOADED.add(str(path))
    with told_with_location(str(path)):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    if _registered() == before:
        raise ArgumentError(
            f"--load-pass={file} registers nothing: a pass needs @register_pass, a target hlo.register_target"
        )


def _registered() -> dict[str, int]:
    """The objects that are registered: a file that is run again registers others."""
    from hlo.lowering.passes import PASSES

    targets = {name: id(find_target(name)) for name in target_names()}
    return {**targets, **{f"--{name}": id(one) for name, one in PASSES.items()}}


@contextmanager
def told_with_location(loaded: str = "") -> Iterator[None]:
    """Turns an exception of a user's file into an HloError with the innermost line of that file; others pass. `loaded`:
    the file that is being loaded, of which Python may take not even the first line (it has NUL characters, or cannot be
    read)."""
    try:
        yield
    except (HloError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a user's code may raise anything
        place = _place(error) or (loaded, 1, 1)
        if not place[0]:
            raise
        message = traceback.format_exception_only(error)[-1].strip()
        raise HloError(_at(*place, message)) from error


def _place(error: BaseException) -> tuple[str, int, int] | None:
    """The file, line and column of a user's that an exception comes from."""
    if isinstance(error, SyntaxError) and error.filename in _LOADED:
        return error.filename, error.lineno or 1, error.offset or 1
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in _LOADED]
    if frames:
        return frames[-1].filename, frames[-1].lineno or 1, (getattr(frames[-1], "colno", None) or 0) + 1
    return None


def _at(path: str, line: int, column: int, message: str) -> Diagnostic:
    """A message at a position, with the file's line."""
    return Diagnostic(message, os.path.relpath(path), line, column, linecache.getline(path, line).rstrip("\n"))
