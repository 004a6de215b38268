"""A first reading of rare text in another process, which may end: MLIR's parser asserts where a part of it that StableHLO programs
do not use is written wrongly (affine maps, sparse constants, resources, ops of other dialects with a syntax of their own)."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable

from hlo.dialect.reader.reading_process import READER
from hlo.errors import HloError, ParseError

_RARE_WORDS = (
    *("affine_map", "affine_set", "sparse", "dense_resource", "distinct", "strided", "vector<", "memref<", "{-#"),
    *("arith.", "math.", "complex.", "linalg.", "tensor.", "scf.", "cf.", "memref.", "vector.", "index.", "affine."),
    *("bufferization.", "ub.", "omp.", "llvm.", "gpu.", "nvgpu.", "nvvm.", "irdl.", "builtin.unreal"),
)
_FOREIGN_TYPE = re.compile(r"[!#](?!stablehlo\b|quant\.uniform|loc)[A-Za-z_]\w*[.<]")


def is_rare(text: str) -> bool:
    """Whether a text in generic form holds more of MLIR than StableHLO programs do. A word that is only in a string costs a
    process, nothing else."""
    return any(word in text for word in _RARE_WORDS) or _FOREIGN_TYPE.search(text) is not None


def try_reading(read: Callable[[], object], text: str, file_name: str) -> None:
    """Raises ParseError when reading ends the process that tries it. Where this process has one thread, that is a copy of it."""
    if _threads() == 1:
        _try_in_copy(read, file_name)
    else:
        READER.request("text", file_name, text.encode("utf-8", "surrogatepass"))


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 2


def _try_in_copy(read: Callable[[], object], file_name: str) -> None:
    child = os.fork()
    if not child:
        _read_and_exit(read)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code:
        raise ParseError(f"{file_name} cannot be read: MLIR's parser ends with signal {-code}")


def _read_and_exit(read: Callable[[], object]) -> None:
    """What is wrong with the text is found once more by the process that asked."""
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silence, stream)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        read()
    except HloError:
        pass
    finally:
        os._exit(0)
