"""The thread pool of this process, made when the first program needs it."""

from __future__ import annotations

import ctypes
import functools

from hlo.lowering.vector.target import host_triple
from hlo.runtime.process_code import load_once
from hlo.runtime.threads.count import available_processors
from hlo.runtime.threads.systems import pool_text, waiting_text


def connect(words: int, threads: int) -> None:
    """Writes the words of a program that say who runs its parts (`shared_parts.py`): the pool, on so many threads."""
    ctypes.c_uint64.from_address(words).value = run_parts()
    ctypes.c_int64.from_address(words + 8).value = threads


def text() -> str:
    """LLVM IR of the pool for this machine."""
    return pool_text(host_triple())


@functools.cache
def run_parts() -> int:
    """The address of `hlo_run_parts`."""
    code = load_once(text())
    ctypes.c_int64.from_address(code.address("hlo_cores")).value = available_processors()
    return code.address("hlo_run_parts")


def text_of_waiting() -> str:
    """LLVM IR of `hlo_wait` and `hlo_wake` for this machine."""
    return waiting_text(host_triple())


@functools.cache
def waiting() -> tuple[int, int]:
    """The addresses of `hlo_wait` and `hlo_wake`, by which processes of a grid wait for each other."""
    code = load_once(text_of_waiting())
    return code.address("hlo_wait"), code.address("hlo_wake")
