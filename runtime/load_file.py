"""From the file of a compiled program to an executable, without MLIR; what a target does not need is not imported."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hlo.errors import ArgumentError
from hlo.runtime.file_format import DamagedFile, unpack_parts


def _load_cpu(header: dict[str, Any], blobs: Sequence[np.ndarray]) -> Any:
    from hlo.runtime.load_program import load_program
    from hlo.runtime.program_file import read_program

    return load_program(read_program(header, blobs))


def _load_gpu(header: dict[str, Any], blobs: Sequence[np.ndarray]) -> Any:
    from hlo.runtime.gpu.executable import GpuExecutable
    from hlo.runtime.gpu.program_file import read_program

    return GpuExecutable(read_program(header, blobs))


TARGETS: dict[str, Callable[..., Any]] = {"cpu": _load_cpu, "gpu": _load_gpu}
"""By the target that a file was compiled for."""


def load_executable(path: str | os.PathLike[str]) -> Any:
    """Loads what `Executable.save` or `GpuExecutable.save` has written. The file holds machine code, which is run when the
    executable is called: load only what you trust. Raises ArgumentError for a file that cannot be read or is none, and
    CompileError if it was compiled for another processor or calls a target that is not registered."""
    try:
        header, blobs = unpack_parts(Path(path).read_bytes())
        return TARGETS[header["target"]](header, blobs)
    except OSError as error:
        raise ArgumentError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from None
    except DamagedFile as error:
        raise ArgumentError(f"{os.fspath(path)!r}: {error}") from None
