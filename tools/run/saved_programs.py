"""hlo-run on what `exe.save(path)` has written."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hlo.errors import ArgumentError
from hlo.program_text import shown
from hlo.saved_files import is_executable

COMPILING = ("target", "entry", "device", "gpu_arch", "replicas", "partitions", "grid", "compare", "compile_from")
"""Options that say how a program is compiled, or need its text."""


def is_saved(program: Any) -> bool:
    """Whether this is the path of a compiled program."""
    if not isinstance(program, Path):
        return False
    try:
        with open(program, "rb") as file:
            return is_executable(file.read(64))
    except OSError:
        return False  # who reads the program says why


def loaded(options: argparse.Namespace, path: Path, parser: argparse.ArgumentParser) -> Any:
    """The executable in a file. Raises ArgumentError for options that come too late."""
    import hlo

    for name in COMPILING:
        if getattr(options, name, None) != parser.get_default(name):
            raise ArgumentError(
                f"--{name.replace('_', '-')} does nothing for a program that is compiled: {shown(path)!r}"
            )
    return hlo.load_executable(path)
