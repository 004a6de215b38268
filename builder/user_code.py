"""The line of the user's Python code that a call comes from."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from pathlib import Path

from mlir import ir

_FOLDERS = tuple(str(folder) + os.sep for folder in (Path(__file__).resolve().parent, Path(__file__).parent))
_OWN = (*_FOLDERS, contextlib.__file__)


def user_file_and_line() -> tuple[str, int]:
    """File and line of the innermost frame outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


_LIBRARIES = ("hlo", "mlir", "numpy", "ml_dtypes", "contextlib", "functools")


def is_own(error: BaseException) -> bool:
    """Whether an exception comes from here or from libraries that are called here, not from a function of the user."""
    frames = traceback.walk_tb(error.__traceback__)
    return all(frame.f_globals.get("__name__", "").partition(".")[0] in _LIBRARIES for frame, _ in frames)


def user_location(context: ir.Context) -> ir.Location:
    file, line = user_file_and_line()
    return ir.Location.file(file, line, 1, context)
