"""The line of the user's Python code that a call comes from."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from mlir import ir

_FOLDERS = tuple(str(folder) + os.sep for folder in (Path(__file__).resolve().parent, Path(__file__).parent))
_OWN = (*_FOLDERS, contextlib.__file__)


def user_place() -> tuple[str, int]:
    """File and line of the innermost frame outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def user_location(context: ir.Context) -> ir.Location:
    file, line = user_place()
    return ir.Location.file(file, line, 1, context)
