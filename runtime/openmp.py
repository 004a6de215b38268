"""The OpenMP runtime, which parallel loops call."""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from hlo.errors import CompileError


@functools.cache
def load_openmp() -> ctypes.CDLL:
    """Makes the OpenMP runtime's symbols visible to generated code; once a process."""
    for folder in _folders():
        if (folder / "libiomp5.so").exists():
            return ctypes.CDLL(str(folder / "libiomp5.so"), ctypes.RTLD_GLOBAL)
    raise CompileError("libiomp5.so (package intel-openmp) was not found; install hlo's dependencies again")


def _folders() -> Iterator[Path]:
    yield Path(sys.prefix) / "lib"
    yield Path(sysconfig.get_path("purelib")).parents[1]
    yield from _wheel_folders()


def _wheel_folders() -> list[Path]:
    from importlib.metadata import PackageNotFoundError, files

    try:
        return [Path(f.locate()).parent for f in files("intel-openmp") or () if f.name == "libiomp5.so"]
    except PackageNotFoundError:
        return []
