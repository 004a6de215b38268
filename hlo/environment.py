"""The environment variables of hlo: each with what it takes. `hlo.compile` checks all of them before it does anything else."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from hlo.errors import ArgumentError


class Variable:
    """`takes`: the words for what is allowed. `read`: raises ValueError for what is not. `default`: where it is not set, or empty."""

    def __init__(self, name: str, takes: str, read: Callable[[str], Any], default: Any):
        self.name, self.takes, self.read, self.default = name, takes, read, default

    def value(self) -> Any:
        """Raises ArgumentError with what was found and what is allowed."""
        text = os.environ.get(self.name)
        if not text:
            return self.default
        try:
            return self.read(text)
        except ValueError:
            raise ArgumentError(f"{self.name} takes {self.takes}, found {text!r}") from None


def check_environment() -> None:
    """Raises ArgumentError for the first variable that has a value it does not take."""
    for variable in VARIABLES:
        variable.value()


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError
    return text == "1"


def _new_file(text: str) -> str:
    """A file that may be written, or made; `-` is standard error."""
    from hlo.whole_files import may_write

    if text != "-" and not may_write(text):
        raise ValueError
    return text


def _one_of(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return read


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError
    return int(text)


def _seconds(text: str) -> float:
    seconds = float(text) if re.fullmatch(r"[0-9.]+(e[0-9]{1,2})?", text) else -1.0
    if not 0 <= seconds < MOST_SECONDS:
        raise ValueError
    return seconds


def _up_to(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = _count(text)
        if not 1 <= number <= most:
            raise ValueError
        return number

    return read


PROCESSORS = (
    "host",
    "amx",
    "avx512",
    "avx2",
    "baseline",
    "aarch64",
    "armv7",
)
"""The rows of the table in lowering/target.py, which is not imported for their names."""

FLAG = "0 or 1"
BYTES = "a whole number of bytes"
MOST_SECONDS = 1e9
SECONDS = "a number of seconds from 0, such as 0.5"

CACHE_SIZE = Variable("HLO_CACHE_SIZE", BYTES, _count, 512 << 20)
CPU = Variable("HLO_CPU", f"one of {', '.join(PROCESSORS)}", _one_of(*PROCESSORS), "")

AS_CPU = Variable("HLO_AS_CPU", FLAG, _flag, False)
"""Whether JAX sees hlo as its platform "cpu" (integrations/jax/platform.py)."""

MOST_DEVICES = 1024
DEVICES = Variable("HLO_DEVICES", f"a number from 1 to {MOST_DEVICES}", _up_to(MOST_DEVICES), None)
"""Of the JAX backend."""

MPI = Variable("HLO_MPI", FLAG, _flag, None)
"""Whether JAX's processes are the ranks of MPI (runtime/mpi/launcher.py)."""

GPU_CHECK = Variable("HLO_GPU_CHECK", FLAG, _flag, False)
GPU_CONDITIONS = Variable("HLO_GPU_CONDITIONS", FLAG, _flag, True)
GPU_GRAPHS = Variable("HLO_GPU_GRAPHS", FLAG, _flag, True)
ISOLATE = Variable("HLO_ISOLATE", FLAG, _flag, False)
ISOLATE_SECONDS = Variable("HLO_ISOLATE_SECONDS", SECONDS, _seconds, 600)
ISOLATE_BYTES = Variable("HLO_ISOLATE_BYTES", BYTES, _count, 0)

DUMP_TO = Variable("HLO_DUMP_TO", "the path of a folder", str, "")
"""Where every program that is compiled leaves the IR of its phases (pipelines/dump.py)."""

MOST_THREADS = 1024
THREADS = Variable("HLO_THREADS", f"a number from 1 to {MOST_THREADS}", _up_to(MOST_THREADS), None)

PERF_MAP = Variable("HLO_PERF_MAP", FLAG, _flag, False)
"""Whether Linux's perf is told the names of kernels (runtime/profile/perf_map.py)."""

PROFILE = Variable("HLO_PROFILE", "the path of a file that may be written", _new_file, "")
"""Where profiles of all programs are written when the process ends."""

TUNE = Variable("HLO_TUNE", SECONDS, _seconds, None)
"""How long schedules of kernels are searched for, in each program that is compiled (runtime/tuning)."""

VARIABLES = (
    AS_CPU, CACHE_SIZE, CPU, DEVICES, DUMP_TO, GPU_CHECK, GPU_CONDITIONS, GPU_GRAPHS, ISOLATE, ISOLATE_SECONDS, ISOLATE_BYTES, MPI,
    PERF_MAP, PROFILE, THREADS, TUNE,
)  # fmt: skip
"""HLO_CACHE_DIR is a path, as every text is (runtime/saved/disk_cache.py)."""
